/**
 * Parses the receivers of an alert rule file:
 *
 *     receivers:
 *       - { name: main, type: alertmanager, url: 'https://alerts.example:9093' }
 *       - { name: chat, type: webhook, url: 'https://chat.example/hook', bearerTokenFile: /etc/token }
 *       - { name: pager, type: webhook, url: 'https://10.0.0.7/', caFile: /etc/ca.pem,
 *           severities: [critical] }
 */
import type { YamlValue } from '../yaml-position.ts';

export interface AlertReceiver {
  readonly name: string;
  readonly type: 'alertmanager' | 'webhook';
  readonly url: string;
  /** Empty: no token is sent. */
  readonly bearerTokenFile: string;
  /** Certificate authorities to trust, in PEM. Empty: those of the system. */
  readonly caFile: string;
  /** Empty: alerts of every severity are sent. */
  readonly severities: readonly string[];
}

const RECEIVERS_MAX = 20;
const SEVERITIES_MAX = 20;
const SEVERITY_LENGTH_MAX = 63;
const FIELDS = ['name', 'type', 'url', 'bearerTokenFile', 'caFile', 'severities'];

/** Throws ALERT_RULE_INVALID. */
export function readReceivers(value: YamlValue | undefined): readonly AlertReceiver[] {
  return (value?.items(RECEIVERS_MAX) ?? []).map((item) => {
    const fields = item.fields(FIELDS);
    const need = (name: string): YamlValue => fields.get(name) ?? item.fail(`${name} is missing`);
    const type = need('type').text();
    if (type !== 'alertmanager' && type !== 'webhook') {
      return need('type').fail('type must be alertmanager or webhook');
    }
    const bearerTokenFile = fields.get('bearerTokenFile')?.text() ?? '';
    const url = readUrl(need('url'));
    const caFile = fields.get('caFile')?.text() ?? '';
    if (caFile !== '' && !url.startsWith('https:')) item.fail('caFile needs an https url');
    const severities = (fields.get('severities')?.items(SEVERITIES_MAX) ?? []).map((severity) =>
      severity.text(SEVERITY_LENGTH_MAX),
    );
    return { name: need('name').text(63), type, url, bearerTokenFile, caFile, severities };
  });
}

/** Throws ALERT_RULE_INVALID. */
export function readUrl(value: YamlValue): string {
  const text = value.text();
  const url = URL.canParse(text) ? new URL(text) : value.fail('url is no URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    value.fail('url must be http or https');
  if (url.username !== '' || url.password !== '') {
    value.fail('url must not have a password: use bearerTokenFile');
  }
  return url.href;
}
