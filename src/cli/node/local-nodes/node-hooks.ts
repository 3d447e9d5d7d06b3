/**
 * Lets the nodes of this process add their health checks, and a path of their own (nodes-handler.ts), to the
 * API server while it runs.
 */
import type { PathHandler } from '../../../apiserver/requests/path-handler.ts';
import type { HealthCheck } from '../../../lib/health-report.ts';

export class NodeHooks {
  readonly #own: readonly HealthCheck[];
  #ofNodes: readonly HealthCheck[] = [];
  #handler: PathHandler | null = null;

  /** `own`: the checks of the API server. One of a node with the same name replaces it. */
  constructor(own: readonly HealthCheck[]) {
    this.#own = own;
  }

  readonly checks = (): readonly HealthCheck[] => {
    const names = new Set(this.#ofNodes.map(({ name }) => name));
    return [...this.#own.filter(({ name }) => !names.has(name)), ...this.#ofNodes];
  };

  readonly handler: PathHandler = (request, url) => this.#handler?.(request, url) ?? null;

  setChecks(checks: readonly HealthCheck[]): void {
    this.#ofNodes = checks;
  }

  /** Serves a path that no resource has, to clients that are authorized for it. */
  setHandler(handler: PathHandler): void {
    this.#handler = handler;
  }
}
