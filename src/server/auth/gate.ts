/**
 * Authenticates and authorizes a request to the kubelet's server, and refuses it with the messages of
 * Kubernetes' kubelet.
 */
import type {
  ApiRequest,
  ApiResponse,
  User,
  ClientIdentity,
} from '../../ports/api/http-handler.ts';
import type { KubeletAccess } from '../../ports/api/kubelet-access.ts';
import type { Log } from '../../ports/log.ts';
import { text } from '../answers.ts';
import { subresourcesOf, verbOf } from './request-attributes.ts';

export interface GateOptions {
  readonly access: KubeletAccess;
  readonly nodeName: string;
  readonly log: Log;
}

/** Null: the request is permitted. `path`: the path that will be served. */
export async function refusalOf(
  { access, nodeName, log }: GateOptions,
  { method, headers }: ApiRequest,
  path: string,
  clientIdentity: ClientIdentity,
): Promise<ApiResponse | null> {
  const token = bearerTokenOf(headers.get('authorization'));
  const user = await access.identify(clientIdentity, token).catch((error: unknown) => {
    log.error('Unable to authenticate the request due to an error', { error });
    return null;
  });
  if (!user) return text(401, 'Unauthorized');
  return await decide({ access, nodeName, log }, user, verbOf(method), subresourcesOf(path));
}

async function decide(
  { access, nodeName, log }: GateOptions,
  user: User,
  verb: string,
  subresources: readonly string[],
): Promise<ApiResponse | null> {
  for (const subresource of subresources) {
    const facts = `user=${user.name}, verb=${verb}, resource=nodes`;
    try {
      const { allowed } = await access.authorize(user, { verb, nodeName, subresource });
      if (allowed) return null;
    } catch (error) {
      log.error('Authorization error', { error });
      return text(500, `Authorization error (${facts}, subresource=${subresource})`);
    }
  }
  const wanted = subresources.join(' ');
  const facts = `user=${user.name}, verb=${verb}, resource=nodes, subresource(s)=[${wanted}]`;
  return text(403, `Forbidden (${facts})\n`);
}

/** Accepts the scheme in upper or lower case. */
function bearerTokenOf(header: string | null): string | null {
  const [, token] = /^bearer +(\S+) *$/i.exec(header ?? '') ?? [];
  return token ?? null;
}
