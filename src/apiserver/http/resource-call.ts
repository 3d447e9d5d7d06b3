/** A request for a resource that this server serves, before its verb is known. */
import type { ApiRequest } from '../../ports/api/http-handler.ts';
import type { Turn } from '../../ports/clock.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { User } from '../objects/access.ts';
import type { KindDefinition } from '../objects/kind.ts';
import type { AnswerForm } from '../requests/negotiation.ts';
import type { ResourceRequest } from '../requests/request-info.ts';
import type { RequestUrl } from '../requests/request-url.ts';

export interface ResourceCall {
  readonly request: ApiRequest;
  readonly url: RequestUrl;
  readonly user: User;
  readonly path: ResourceRequest;
  readonly definition: KindDefinition;
  readonly form: AnswerForm;
  readonly warnings: string[];
  readonly turn: Turn;
  readonly trail?: AuditTrail;
}
