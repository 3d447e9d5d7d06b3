/** The types of one context of a kubeconfig: how to reach the cluster, and as which user. */
import type { JsonObject } from '../../lib/json.ts';

export interface ClusterAccess {
  /** Such as `https://10.0.0.1:6443`; it may have a path. */
  readonly server: string;
  /** PEM of the authorities that sign the server's certificate. Absent: those of the system. */
  readonly ca?: string;
  /**
   * The file from which `ca` was read; it is read again from time to time. Absent: `ca` is not from a file.
   */
  readonly caFile?: string;
  /** The name in the server's certificate. Absent: the host of `server`. */
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
  /** Takes precedence over `token`, and is read again from time to time. */
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
  /** The description of the cluster for the plugin. Null: the plugin does not want it. */
  readonly cluster: JsonObject | null;
}
