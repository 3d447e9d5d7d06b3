/** Serves /statusz and /flagz of the kubelet; api/zpages.ts has their formats. */
import {
  flagzObject,
  flagzText,
  statuszObject,
  statuszText,
  zpageForm,
  type ZpageForm,
} from '../../api/zpages.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import { errorText, json, text } from '../answers.ts';
import type { BuildInfo } from '../metrics/node-metrics.ts';
import type { Handler, HandlerRequest } from '../routing.ts';

export interface ZpagesDeps {
  readonly clock: Clock;
  readonly build: BuildInfo;
  /** The flags of the command line with their values; absent: /flagz is not served. */
  readonly flags?: () => Readonly<Record<string, string>>;
}

const COMPONENT = 'kubelet';
const FLAGZ = '/flagz';
const STATUSZ = '/statusz';

/** `paths`: all other paths of the server. */
export function zpagesHandlers(
  { clock, build, flags }: ZpagesDeps,
  paths: readonly string[],
): readonly [string, Handler][] {
  const startMs = clock.now();
  const { major, minor, gitVersion, goVersion } = build;
  const all = [...paths, STATUSZ, ...(flags ? [FLAGZ] : [])];
  const statusz = () => ({
    component: COMPONENT,
    startMs,
    nowMs: clock.now(),
    goVersion,
    binaryVersion: gitVersion.replace(/^v/, '').replace(/\+.*$/, ''),
    emulationVersion: `${major}.${minor}`,
    paths: all,
  });
  const answerStatusz: Handler = (request) =>
    answerIn(formOf(request, 'Statusz'), {
      text: () => statuszText(statusz()),
      object: (version) => statuszObject(statusz(), version),
      name: 'statusz',
    });
  if (!flags) return [[STATUSZ, answerStatusz]];
  const answerFlagz: Handler = (request) =>
    answerIn(formOf(request, 'Flagz'), {
      text: () => flagzText(COMPONENT, flags()),
      object: (version) => flagzObject(COMPONENT, flags(), version),
      name: 'flagz',
    });
  return [
    [STATUSZ, answerStatusz],
    [FLAGZ, answerFlagz],
  ];
}

interface ZpageForms {
  readonly text: () => string;
  readonly object: (version: string) => JsonObject;
  readonly name: string;
}

function formOf({ request }: HandlerRequest, kind: 'Statusz' | 'Flagz'): ZpageForm {
  return zpageForm(request.headers.get('accept'), kind);
}

function answerIn(form: ZpageForm, forms: ZpageForms): ApiResponse {
  if (form.type === 'text') return text(200, forms.text());
  if (form.type === 'refused') {
    return errorText(
      406,
      'only the following media types are accepted: text/plain, application/json',
    );
  }
  const answer = json(forms.object(form.version));
  if (form.version !== 'v1alpha1') return answer;
  const warning = `299 - "This version of the ${forms.name} endpoint is deprecated. Please use a newer version."`;
  return { ...answer, headers: [...answer.headers, ['warning', warning]] };
}
