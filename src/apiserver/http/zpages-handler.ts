/**
 * Serves /statusz and /flagz of the API server (api/zpages.ts has the formats). Access is authorized by path.
 */
import {
  flagzObject,
  flagzText,
  statuszObject,
  statuszText,
  zpageForm,
  type ZpageForm,
} from '../../api/zpages.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import type { Clock } from '../../ports/clock.ts';
import { textResponse, type PathHandler } from '../requests/path-handler.ts';

export interface ApiZpagesDeps {
  readonly clock: Clock;
  /** The response of /version. */
  readonly version: JsonObject;
  /** The command line's flags. Absent: /flagz is not served. */
  readonly flags?: Readonly<Record<string, string>>;
}

const COMPONENT = 'kube-apiserver';
const PATHS = ['/healthz', '/livez', '/readyz', '/metrics', '/version', '/statusz', '/flagz'];

export function apiZpages({ clock, version, flags }: ApiZpagesDeps): PathHandler {
  const startMs = clock.now();
  const text = (name: string): string => {
    const value = version[name];
    return typeof value === 'string' ? value : '';
  };
  const statusz = () => ({
    component: COMPONENT,
    startMs,
    nowMs: clock.now(),
    goVersion: text('goVersion'),
    binaryVersion: text('gitVersion').replace(/^v/, '').replace(/\+.*$/, ''),
    emulationVersion: `${text('major')}.${text('minor')}`,
    paths: PATHS.filter((path) => flags !== undefined || path !== '/flagz'),
  });
  return ({ headers }, { pathname }) => {
    const accept = headers.get('accept');
    if (pathname === '/statusz') {
      return answerIn(
        zpageForm(accept, 'Statusz'),
        () => statuszText(statusz()),
        (wanted) => statuszObject(statusz(), wanted),
      );
    }
    if (pathname !== '/flagz' || !flags) return null;
    return answerIn(
      zpageForm(accept, 'Flagz'),
      () => flagzText(COMPONENT, flags),
      (wanted) => flagzObject(COMPONENT, flags, wanted),
    );
  };
}

function answerIn(
  form: ZpageForm,
  asText: () => string,
  asObject: (version: string) => JsonObject,
): ApiResponse {
  if (form.type === 'text') return textResponse(200, asText());
  if (form.type === 'refused') {
    const accepted = 'text/plain, application/json';
    return textResponse(406, `only the following media types are accepted: ${accepted}\n`);
  }
  const body = JSON.stringify(asObject(form.version));
  return { status: 200, headers: [['content-type', 'application/json']], body };
}
