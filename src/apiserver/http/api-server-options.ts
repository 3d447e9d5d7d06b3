/** The options of an API server. */
import type { HealthCheck } from '../../lib/health-report.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { KubeletDialer } from '../../ports/api/kubelet-dialer.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import type { WebhookClient } from '../../ports/api/webhook-client.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import type { OpenFrontProxy } from '../aggregation/front-proxy.ts';
import type { Access } from '../objects/access.ts';
import type { Actions } from '../objects/action.ts';
import type { KindDefinition } from '../objects/kind.ts';
import type { Admission } from '../registry/admission.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import type { PathHandler } from '../requests/path-handler.ts';
import type { Auditor } from './auditor.ts';

export interface ApiServerOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly log: Log;
  readonly kinds: readonly KindDefinition[];
  /** The response of `/version`. */
  readonly version: JsonObject;
  /** Absent: every client may do everything. */
  readonly access?: (parts: ServerParts) => Access;
  /** Plugins that run after the admission that every server has. */
  readonly admission?: readonly Admission[];
  /** Handlers in addition to those of pod subresources. */
  readonly actions?: (parts: ServerParts) => Actions;
  readonly handlers?: (parts: ServerParts) => readonly PathHandler[];
  /** Connects to kubelets and pods. Absent: requests that need it are answered with 503. */
  readonly kubeletDialer?: KubeletDialer;
  /** Absent: webhooks cannot be called, and their failure policy decides. */
  readonly webhookClient?: WebhookClient;
  /** The identity for other API servers; absent: requests for APIServices with a Service get 503. */
  readonly frontProxy?: OpenFrontProxy;
  /** Absent: no request is audited. */
  readonly auditor?: Auditor;
  /** Health checks in addition to ping, log and store, evaluated for each request. Absent: none. */
  readonly checks?: () => readonly HealthCheck[];
}
