/**
 * Where the embedded server may answer differently from kube-apiserver, and why that is right.
 *
 * Everything that is not listed here must be the same. An entry removes the excused part from both
 * outputs; the rest is compared.
 */

export interface Difference {
  /** The steps that it applies to. */
  readonly steps: RegExp;
  readonly reason: string;
  /** What is removed, line by line. */
  readonly lines: RegExp;
}

const METRICS_API =
  'it serves the metrics API itself; beside kube-apiserver there is no metrics-server';
const NO_FIELD_OWNERS = 'server-side apply and managedFields are not offered in this version';

export const DIFFERENCES: readonly Difference[] = [
  {
    steps: /^version$/,
    reason: 'it says which version of Kubernetes it speaks, and that it is podkeep',
    lines: /^Server Version: v1\.36\.4(?:\+podkeep-\S+)?$/,
  },
  {
    steps: /^version -o json$/,
    reason: 'it is made of another commit, by another compiler, in another language',
    lines: /"(?:gitVersion|gitCommit|gitTreeState|goVersion|compiler)":/,
  },
  {
    steps: /^create -f -/,
    reason: "the sentence is that of Go's decoder, which names the types of a Go program",
    lines: /json: cannot unmarshal /,
  },
  {
    steps: /^(?:get|describe) csr zoe$/,
    reason: 'what is approved is signed at once; beside kube-apiserver no controller signs',
    lines: /\bApproved(?:,Issued)?$/,
  },
  { steps: /^api-(?:versions|resources)/, reason: METRICS_API, lines: /\bmetrics\.k8s\.io\b/ },
  { steps: /^top /, reason: METRICS_API, lines: /^/ },
  { steps: /^get clusterroles /, reason: METRICS_API, lines: /system:aggregated-metrics-reader$/ },
  {
    // A rule has no line of its own: what it has in common with others goes, too.
    steps: /^get clusterrole view -o yaml$/,
    reason: METRICS_API,
    lines:
      /^(?:- apiGroups:| {2}(?:resources|verbs):| {2}- (?:metrics\.k8s\.io|pods|nodes|get|list|watch))$/,
  },
  {
    steps: /^(?:apply|diff) --server-side |^get (?:configmap shared|boat gull) -o yaml /,
    reason: NO_FIELD_OWNERS,
    lines: /^/,
  },
  {
    steps: / -o yaml --show-managed-fields$/,
    reason: NO_FIELD_OWNERS,
    lines:
      /^ {2}(?:managedFields:|- apiVersion:)|^ {4}(?:fieldsType|fieldsV1|manager|operation|subresource|time):|^ {6,}(?:[fkv]:|\.: )/,
  },
  {
    // Without the brackets, which mean nothing by themselves: there are as many as there are owners.
    steps:
      /^get --raw \/api\/v1\/namespaces\/\w+\/pods(?:\/web(?:\/status)?|\?labelSelector=app=web)$/,
    reason: NO_FIELD_OWNERS,
    lines:
      /^ +(?:"(?:managedFields|apiVersion|fieldsType|fieldsV1|manager|operation|subresource|time|\.|[fkv]:.*)":|[[\]{}]+,?$)/,
  },
];

/** Removes from an output what is excused for this step. */
export function excuse(line: string, text: string): string {
  const excused = DIFFERENCES.filter(({ steps }) => steps.test(line));
  if (excused.length === 0) return text;
  return text
    .split('\n')
    .filter((part) => !excused.some(({ lines }) => lines.test(part)))
    .join('\n');
}
