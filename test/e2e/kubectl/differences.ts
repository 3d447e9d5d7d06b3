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
    reason: 'what is approved is signed at once; beside kube-apiserver nobody signs',
    lines: /\bApproved(?:,Issued)?$/,
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
    // Without the brackets, which say nothing by themselves: there are as many as there are owners.
    steps:
      /^get --raw \/api\/v1\/namespaces\/\w+\/pods(?:\/web(?:\/status)?|\?labelSelector=app=web)$/,
    reason: NO_FIELD_OWNERS,
    lines:
      /^ +(?:"(?:managedFields|apiVersion|fieldsType|fieldsV1|manager|operation|subresource|time|\.|[fkv]:.*)":|[[\]{}]+,?$)/,
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
