/**
 * Validates the options of Windows containers: podkeep does not run them, but other nodes of a cluster may.
 */
import { checkDns1123Subdomain } from '../../validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { invalidField, invalidFor, type FieldErrors } from '../../validation/field-errors.ts';
import { isGiven, readObject, readStruct, readText } from '../../validation/json-reading.ts';
import type { Value } from '../../validation/json-reading.ts';
import { allContainers } from '../container-lists.ts';

const SPEC_KIB_MAX = 64;
const DOMAIN_LENGTH_MAX = 256;
const USER_LENGTH_MAX = 104;

const NETBIOS_NAME = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const DNS_NAME = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);

export function* validateWindowsOptions(value: Value, path: string): FieldErrors {
  const options = readObject(value);
  if (!options) return;
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  if (isGiven(gmsaCredentialSpecName)) {
    const name = readText(gmsaCredentialSpecName);
    yield* invalidFor(`${path}.gmsaCredentialSpecName`, name, checkDns1123Subdomain(name));
  }
  if (isGiven(gmsaCredentialSpec)) {
    const spec = readText(gmsaCredentialSpec);
    yield* validateCredentialSpec(spec, `${path}.gmsaCredentialSpec`);
  }
  if (isGiven(runAsUserName)) {
    const name = readText(runAsUserName);
    yield* invalidFor(`${path}.runAsUserName`, name, checkUserName(name));
  }
}

/** Either all containers are host process containers, or none is. */
export function* validateHostProcesses(spec: JsonObject, path: string): FieldErrors {
  const ofPod = hostProcessOf(spec);
  const containers = allContainers(spec, path);
  let count = 0;
  for (const { container, path: at } of containers) {
    const own = hostProcessOf(container);
    if (own !== undefined && ofPod !== undefined && own !== ofPod) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      yield invalidField(`${at}.securityContext.windowsOptions.hostProcess`, own, detail);
    }
    if (own ?? ofPod) count += 1;
  }
  if (count === 0) return;
  if (count !== containers.length) {
    const detail =
      'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    yield invalidField(path, '', detail);
  }
  if (spec['hostNetwork'] !== true) {
    const detail = 'hostNetwork must be true if pod contains any hostProcess containers';
    yield invalidField(`${path}.hostNetwork`, false, detail);
  }
}

function hostProcessOf(holder: JsonObject): boolean | undefined {
  const options = readStruct(readStruct(holder['securityContext'])['windowsOptions']);
  const { hostProcess } = options;
  return typeof hostProcess === 'boolean' ? hostProcess : undefined;
}

function* validateCredentialSpec(spec: string, field: string): FieldErrors {
  if (spec === '') yield invalidField(field, spec, 'gmsaCredentialSpec cannot be an empty string');
  else if (Buffer.byteLength(spec) > SPEC_KIB_MAX * 1024) {
    yield invalidField(field, spec, `gmsaCredentialSpec size must be under ${SPEC_KIB_MAX} KiB`);
  }
}

function checkUserName(name: string): readonly string[] {
  const parts = name.split('\\');
  if (name === '') return ['runAsUserName cannot be an empty string'];
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001F\u007F]/.test(name))
    return ['runAsUserName cannot contain control characters'];
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const [user = '', domain] = parts.reverse();
  return [...(domain === undefined ? [] : checkDomain(domain)), ...checkUser(user)];
}

function checkDomain(domain: string): readonly string[] {
  const faults: string[] = [];
  if (domain.length >= DOMAIN_LENGTH_MAX) {
    faults.push(`runAsUserName's Domain length must be under ${DOMAIN_LENGTH_MAX} characters`);
  }
  if (!NETBIOS_NAME.test(domain) && !DNS_NAME.test(domain)) {
    faults.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  return faults;
}

function checkUser(user: string): readonly string[] {
  const faults: string[] = [];
  if (user === '') faults.push("runAsUserName's User cannot be empty");
  else if (user.length > USER_LENGTH_MAX) {
    const most = `${USER_LENGTH_MAX} characters`;
    faults.push(`runAsUserName's User length must not be longer than ${most}`);
  }
  if (/^[. ]+$/.test(user)) {
    faults.push("runAsUserName's User cannot contain only periods or spaces");
  }
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    const list = '"/\\:;|=,+*?<>@[]';
    faults.push(`runAsUserName's User cannot contain the following characters: ${list}`);
  }
  return faults;
}
