/**
 * Parses kube-apiserver's audit Policy (audit.k8s.io/v1), with its validation rules and error messages.
 *
 * Unknown fields are refused, although kube-apiserver only logs a warning: a rule that matches more or less
 * than its author meant is worse than a server that does not start.
 */
import { defineError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { fieldErrorMessage, type FieldError } from '../../api/validation/field-error.ts';
import { validateDnsSubdomain } from '../../api/validation/names.ts';

export const AUDIT_LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditLevel = (typeof AUDIT_LEVELS)[number];
export type AuditStage = (typeof STAGES)[number];

export interface GroupResources {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** An empty list matches everything. */
export interface AuditPolicyRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly GroupResources[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly AuditStage[];
  /** Null: the setting of the policy applies. */
  readonly omitManagedFields: boolean | null;
}

export interface AuditPolicy {
  readonly rules: readonly AuditPolicyRule[];
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

export const auditPolicyInvalid = defineError<{ reason: string }>({
  code: 'AUDIT_POLICY_INVALID',
  retry: 'never',
  message: ({ reason }) => `the audit policy cannot be used: ${reason}`,
  hint: () => 'Correct the file of --audit-policy-file; docs/at-rest.md has one that works.',
});

const VERSION = 'audit.k8s.io/v1';
const RULE_FIELDS = [
  'level',
  'users',
  'userGroups',
  'verbs',
  'resources',
  'namespaces',
  'nonResourceURLs',
  'omitStages',
  'omitManagedFields',
];

/** Throws AUDIT_POLICY_INVALID. */
export function readPolicy(document: unknown): AuditPolicy {
  const reader = new PolicyReader();
  const policy = reader.read(document);
  const [first, ...more] = [...new Set(reader.errors)];
  if (first === undefined) return policy;
  const reason = more.length === 0 ? first : `[${[first, ...more].join(', ')}]`;
  throw auditPolicyInvalid({ reason });
}

class PolicyReader {
  readonly errors: string[] = [];

  read(document: unknown): AuditPolicy {
    const fields = this.#object(document, 'the policy');
    const { apiVersion, kind } = fields;
    if (apiVersion !== VERSION || kind !== 'Policy') {
      this.errors.push(`unknown group version field in policy: it must be ${VERSION} Policy`);
    }
    const known = ['apiVersion', 'kind', 'metadata', 'rules', 'omitStages', 'omitManagedFields'];
    this.#checkFields(fields, known, '');
    const rules = this.#list(fields['rules'], 'rules').map((rule, index) =>
      this.#readRule(rule, `rules[${index}]`),
    );
    if (rules.length === 0 && this.errors.length === 0) {
      this.errors.push('loaded illegal policy with 0 rules');
    }
    return {
      rules,
      omitStages: this.#stages(fields['omitStages'], 'omitStages'),
      omitManagedFields: this.#flag(fields['omitManagedFields'], 'omitManagedFields') ?? false,
    };
  }

  #readRule(value: unknown, path: string): AuditPolicyRule {
    const fields = this.#object(value, path);
    this.#checkFields(fields, RULE_FIELDS, `${path}.`);
    const texts = (name: string): readonly string[] => this.#texts(fields[name], `${path}.${name}`);
    const rule = {
      level: this.#level(fields['level'], `${path}.level`),
      users: texts('users'),
      userGroups: texts('userGroups'),
      verbs: texts('verbs'),
      resources: this.#resources(fields['resources'], `${path}.resources`),
      namespaces: texts('namespaces'),
      nonResourceURLs: texts('nonResourceURLs'),
      omitStages: this.#stages(fields['omitStages'], `${path}.omitStages`),
      omitManagedFields: this.#flag(fields['omitManagedFields'], `${path}.omitManagedFields`),
    };
    this.#checkUrls(rule, `${path}.nonResourceURLs`);
    return rule;
  }

  #checkUrls(rule: AuditPolicyRule, path: string): void {
    const { nonResourceURLs: urls, resources, namespaces } = rule;
    for (const [index, url] of urls.entries()) {
      const field = `${path}[${index}]`;
      if (url === '*') continue;
      if (!url.startsWith('/')) {
        this.#invalid(field, url, "non-resource URL rules must begin with a '/' character");
      }
      if (url.slice(0, -1).includes('*')) {
        const detail = "non-resource URL wildcards '*' must be the final character of the rule";
        this.#invalid(field, url, detail);
      }
    }
    if (urls.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
      const detail = 'rules cannot apply to both regular resources and non-resource URLs';
      this.#invalid(path, urls, detail);
    }
  }

  #resources(value: unknown, path: string): readonly GroupResources[] {
    return this.#list(value, path).map((one, index) => {
      const at = `${path}[${index}]`;
      const fields = this.#object(one, at);
      this.#checkFields(fields, ['group', 'resources', 'resourceNames'], `${at}.`);
      const group = this.#text(fields['group'] ?? '', `${at}.group`);
      const resources = this.#texts(fields['resources'], `${at}.resources`);
      const resourceNames = this.#texts(fields['resourceNames'], `${at}.resourceNames`);
      if (group !== '' && group !== '*') {
        for (const error of validateDnsSubdomain(group, `${path}.group`)) this.#add(error);
      }
      if (resourceNames.length > 0 && resources.length === 0) {
        const detail = 'using resourceNames requires at least one resource';
        this.#invalid(`${path}.resourceNames`, resourceNames, detail);
      }
      return { group, resources, resourceNames };
    });
  }

  #level(value: unknown, field: string): AuditLevel {
    const found = AUDIT_LEVELS.find((level) => level === value);
    if (found !== undefined) return found;
    if (value === undefined || value === '') this.#add({ type: 'Required', field, detail: '' });
    else {
      const known = AUDIT_LEVELS.map((level) => `"${level}"`).join(', ');
      const detail = `supported values: ${known}`;
      this.#add({ type: 'NotSupported', field, value, detail });
    }
    return 'None';
  }

  #stages(value: unknown, path: string): readonly AuditStage[] {
    return this.#texts(value, path).flatMap((text, index) => {
      const stage = STAGES.find((one) => one === text);
      if (stage !== undefined) return [stage];
      this.#invalid(`${path}[${index}]`, text, `allowed stages are ${STAGES.join(',')}`);
      return [];
    });
  }

  #flag(value: unknown, path: string): boolean | null {
    if (value === undefined || value === null || typeof value === 'boolean') return value ?? null;
    this.errors.push(`${path}: must be true or false`);
    return null;
  }

  #texts(value: unknown, path: string): readonly string[] {
    return this.#list(value, path).map((one, index) => this.#text(one, `${path}[${index}]`));
  }

  #text(value: unknown, path: string): string {
    if (typeof value === 'string') return value;
    this.errors.push(`${path}: must be a string`);
    return '';
  }

  #list(value: unknown, path: string): readonly unknown[] {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value;
    this.errors.push(`${path}: must be a list`);
    return [];
  }

  #object(value: unknown, path: string): JsonObject {
    if (isJsonObject(value)) return value;
    this.errors.push(`${path}: must be a mapping of fields to values`);
    return {};
  }

  #checkFields(fields: JsonObject, known: readonly string[], path: string): void {
    for (const name of Object.keys(fields)) {
      if (!known.includes(name)) this.errors.push(`unknown field "${path}${name}"`);
    }
  }

  #invalid(field: string, value: unknown, detail: string): void {
    this.#add({ type: 'Invalid', field, value, detail });
  }

  #add(error: FieldError): void {
    this.errors.push(`${error.field}: ${fieldErrorMessage(error)}`);
  }
}
