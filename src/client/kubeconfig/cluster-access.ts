/** How to reach a cluster, and as which user: the contents of one context of a kubeconfig. */
import type { JsonObject } from '../../lib/json.ts';

export interface ClusterAccess {
  /** Such as `https://10.0.0.1:6443`; it may have a path. */
  readonly server: string;
  /** PEM of the authorities that sign the server's certificate; absent: those of the system. */
  readonly ca?: string;
  /** The file of `ca`, if it came from one: it is read again from time to time. */
  readonly caFile?: string;
  /** The name in the server's certificate, where it is not the one in `server`. */
  readonly serverName?: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly proxyUrl?: string;
  readonly namespace: string;
  readonly user: UserAccess;
}

export interface UserAccess {
  readonly certificate?: PemSource;
  readonly key?: PemSource;
  readonly token?: string;
  /** Counts more than `token`, and is read again from time to time. */
  readonly tokenFile?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly exec?: ExecPlugin;
  /** Impersonation: a header may occur several times. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

/** A file is read again from time to time, because certificates are renewed. */
export type PemSource = { readonly pem: string } | { readonly file: string };

export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint: string;
  /** The cluster's description for the plugin, if it wants one. */
  readonly cluster: JsonObject | null;
}
