/**
 * Where the embedded server may answer differently from kube-apiserver, and why that is right.
 *
 * Everything that is not listed here must be the same. An entry takes out of both outputs what is
 * excused and leaves the rest to be compared.
 */

export interface Difference {
  /** The steps that it is about. */
  readonly steps: RegExp;
  readonly reason: string;
  /** What is taken out, line by line. */
  readonly lines: RegExp;
}

const NO_FAIRNESS = 'nobody waits in line: the server has few clients, all of one person';
const NO_ALLOCATION = 'addresses of services are given out without a record beside the service';
const NO_DRIVERS = 'no driver is asked to change a volume';

/** Resources that only kube-apiserver offers, with the reason why. */
export const ABSENT_RESOURCES: ReadonlyMap<string, string> = new Map([
  ['flowschemas.flowcontrol.apiserver.k8s.io', NO_FAIRNESS],
  ['prioritylevelconfigurations.flowcontrol.apiserver.k8s.io', NO_FAIRNESS],
  ['ipaddresses.networking.k8s.io', NO_ALLOCATION],
  ['servicecidrs.networking.k8s.io', NO_ALLOCATION],
  ['volumeattributesclasses.storage.k8s.io', NO_DRIVERS],
]);

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
    steps: /^api-versions$/,
    reason: 'it has none but resources that are listed as absent',
    lines: /^flowcontrol\.apiserver\.k8s\.io\/v1$/,
  },
  {
    steps: /^create -f -/,
    reason: "the sentence is that of Go's decoder, which names the types of a Go program",
    lines: /json: cannot unmarshal /,
  },
];

/** Takes out of an output what is excused for this step. */
export function excuse(line: string, text: string): string {
  const excused = DIFFERENCES.filter(({ steps }) => steps.test(line));
  if (excused.length === 0) return text;
  return text
    .split('\n')
    .filter((part) => !excused.some(({ lines }) => lines.test(part)))
    .join('\n');
}
