/**
 * Runs a credential plugin with the protocol of client.authentication.k8s.io: the request is in an
 * environment variable, the answer on stdout.
 */
import { execFile } from 'node:child_process';
import { parseTime } from '../../api/values/time.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ExecPlugin } from './cluster-access.ts';
import type { Identity } from './credentials.ts';
import { credentialsUnavailable } from './kubeconfig-errors.ts';

export interface ExecCredential {
  readonly identity: Identity;
  /** Wall-clock time. Null: valid until the server refuses it. */
  readonly expiresAtMs: number | null;
}

const OUTPUT_BYTES_MAX = 2 ** 20;
const QUOTED_CHARS_MAX = 300;

/** `environment`: podkeep's; the plugin's own variables are added. */
export async function askExecPlugin(
  plugin: ExecPlugin,
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<ExecCredential> {
  const env = { ...environment, ...plugin.env, KUBERNETES_EXEC_INFO: question(plugin) };
  const answer = await run(plugin, env, signal);
  const status = readStatus(plugin, answer);
  const token = readText(status, 'token');
  const cert = readText(status, 'clientCertificateData');
  const key = readText(status, 'clientKeyData');
  if (token === undefined && cert === undefined) {
    throw unavailable(plugin, 'its answer has neither a token nor a certificate');
  }
  if ((cert === undefined) !== (key === undefined)) {
    throw unavailable(plugin, 'its answer has a certificate or a key, but not both');
  }
  const expiry = readText(status, 'expirationTimestamp');
  return {
    identity: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    },
    expiresAtMs: expiry === undefined ? null : parseTime(expiry).ms,
  };
}

function question({ apiVersion, cluster }: ExecPlugin): string {
  const spec = { interactive: false, ...(cluster && { cluster }) };
  return JSON.stringify({ kind: 'ExecCredential', apiVersion, spec });
}

function run(
  plugin: ExecPlugin,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<string> {
  const options = { env, signal, maxBuffer: OUTPUT_BYTES_MAX, encoding: 'utf8' } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(plugin.command, plugin.args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const given = stderr.trim().slice(0, QUOTED_CHARS_MAX);
      reject(unavailable(plugin, given === '' ? error.message : given, error));
    });
    child.stdin?.end();
  });
}

function readStatus(plugin: ExecPlugin, answer: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(answer);
  } catch (error) {
    throw unavailable(plugin, 'its answer is not JSON', error);
  }
  const { kind, apiVersion, status } = isJsonObject(value) ? value : {};
  if (kind !== 'ExecCredential' || apiVersion !== plugin.apiVersion) {
    throw unavailable(plugin, `its answer is not an ExecCredential of ${plugin.apiVersion}`);
  }
  if (!isJsonObject(status)) throw unavailable(plugin, 'its answer has no status');
  return status;
}

function readText(status: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(status, name) ? status[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function unavailable({ command, installHint }: ExecPlugin, reason: string, cause?: unknown): Error {
  const hint = installHint === '' ? 'Run the command by hand and see what it says.' : installHint;
  return credentialsUnavailable({ from: `the command ${command}`, reason, hint }, cause);
}
