/** Descriptions of the parameters of operations. */

const PARAMETERS: Readonly<Record<string, string>> = {
  allowWatchBookmarks:
    'For a watch: events of the type BOOKMARK may come, which report how far the watch is and nothing else.',
  command: 'What to run, and its arguments: one value for each.',
  container: 'Which container of the pod; may be left out if it has only one.',
  continue: 'Where an earlier list with a limit has stopped, as its answer said.',
  dryRun: 'All: do everything that belongs to the request, but keep nothing of it.',
  fieldManager: 'Who makes the change, for the record of who owns which field.',
  fieldSelector: 'Only objects with these values of fields, such as metadata.name=web.',
  fieldValidation:
    'What to do about fields that are unknown or given twice: Ignore, Warn (the default), or Strict, which refuses the request.',
  follow: 'Stay, and send what is still to come.',
  force: 'For an apply: take over fields that another manager owns.',
  gracePeriodSeconds:
    'How many seconds the object has to end by itself; 0 deletes it at once, and nothing means its own default.',
  ignoreStoreReadErrorWithClusterBreakingPotential:
    'Deletes an object that cannot be read any more, without regard to its finalizers.',
  insecureSkipTLSVerifyBackend: 'Do not check the certificate of the node that holds the log.',
  labelSelector: 'Only objects with these labels, such as app=web,tier!=cache.',
  limit: 'How many objects to answer with at most; the answer says how to get the next ones.',
  limitBytes: 'How many bytes to send at most.',
  namespace: 'The namespace of the object.',
  orphanDependents: 'Whether what the object owns outlives it. Use propagationPolicy instead.',
  path: 'The path behind the proxy.',
  ports: 'Which ports to forward.',
  pretty: 'true: write the answer for people, with line breaks.',
  previous: 'The log of the container that ran before this one.',
  propagationPolicy:
    'What happens to what the object owns: Orphan leaves it, Background deletes it later, Foreground deletes it first.',
  resourceVersion:
    'For a list: how recent the answer has to be. For a watch: the version after which it starts.',
  resourceVersionMatch: 'How resourceVersion is meant for a list: Exact or NotOlderThan.',
  sendInitialEvents:
    'For a watch: begin with the existing objects, and send a bookmark after them.',
  shardSelector: 'Only objects whose hash is in this range, for clients that share the work.',
  sinceSeconds: 'Only what was written in the last so many seconds.',
  stderr: 'Whether to connect standard error.',
  stdin: 'Whether to connect standard input.',
  stdout: 'Whether to connect standard output.',
  stream: 'Which of the streams to send: All, Stdout or Stderr.',
  tailLines: 'Only so many lines, counted from the end.',
  timeoutSeconds: 'After how many seconds the list or watch ends, whatever happens.',
  timestamps: 'Begin each line with the time at which it was written.',
  tty: 'Whether to give the process a terminal.',
  watch: 'Do not list, but send every change from now on.',
};

export function describeParameter(name: string): string | undefined {
  return Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
}
