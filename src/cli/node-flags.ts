/** Parses flags for labels, addresses and taints of the Node object, in the syntax of Kubernetes' kubelet. */
import { InvalidArgumentError } from 'commander';
import { KUBELET_LABELS, mayNodeSetLabel } from '../api/node-labels.ts';
import { checkDns1123Subdomain, isLabelKey, isLabelValue } from '../api/validation-names.ts';
import { parseIp } from '../lib/ip.ts';
import type { ConfiguredTaint } from './config/kubelet-fields.ts';

type Labels = Readonly<Record<string, string>>;

const EFFECTS: readonly ConfiguredTaint['effect'][] = [
  'NoSchedule',
  'PreferNoSchedule',
  'NoExecute',
];

export function parseNodeName(text: string): string {
  const [fault] = checkDns1123Subdomain(text);
  if (fault === undefined) return text;
  throw new InvalidArgumentError(`${fault[0]?.toUpperCase()}${fault.slice(1)}.`);
}

/** `a=1,example.com/b=2` */
export function parseNodeLabels(text: string): Labels {
  return Object.fromEntries(
    partsOf(text).map((part) => {
      const [key = '', value = ''] = part.split(/=(.*)/s, 2);
      if (!isLabelKey(key)) throw new InvalidArgumentError(`"${key}" cannot be a label.`);
      if (!isLabelValue(value)) {
        throw new InvalidArgumentError(`"${value}" cannot be the value of the label ${key}.`);
      }
      if (!mayNodeSetLabel(key)) {
        throw new InvalidArgumentError(
          `A node may not give itself the label ${key}: of those in kubernetes.io and k8s.io only ` +
            `kubelet.kubernetes.io/…, node.kubernetes.io/… and ${[...KUBELET_LABELS].join(', ')}.`,
        );
      }
      return [key, value];
    }),
  );
}

/** `10.0.0.5`, or one of each family: `10.0.0.5,fd00::5` */
export function parseNodeIPs(text: string): readonly string[] {
  const addresses = partsOf(text).map((part) => {
    const address = parseIp(part);
    if (!address) throw new InvalidArgumentError(`"${part}" is not an IP address.`);
    if (address.text === '0.0.0.0' || address.text === '::') {
      throw new InvalidArgumentError('Name an address of this machine.');
    }
    return address;
  });
  const families = new Set(addresses.map(({ family }) => family));
  if (addresses.length === 0 || families.size !== addresses.length) {
    throw new InvalidArgumentError('Give one address, or one of each family.');
  }
  return addresses.map((address) => address.text);
}

/** `gpu=yes:NoSchedule,spot:NoExecute` */
export function parseTaints(text: string): readonly ConfiguredTaint[] {
  return partsOf(text).map((part) => {
    const [, key = '', value = '', word] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(part) ?? [];
    const effect = EFFECTS.find((each) => each === word);
    if (!effect || !isLabelKey(key) || !isLabelValue(value)) {
      throw new InvalidArgumentError(
        `"${part}" is not a taint such as gpu=yes:NoSchedule; the effect is ${EFFECTS.join(' or ')}.`,
      );
    }
    return { key, ...(value !== '' && { value }), effect };
  });
}

function partsOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
