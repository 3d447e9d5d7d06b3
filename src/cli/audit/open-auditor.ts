/** Creates the API server's auditor from `--audit-policy-file` and `--audit-log-path`. */
import { readFile } from 'node:fs/promises';
import { Auditor } from '../../apiserver/http/auditor.ts';
import { auditPolicyInvalid, readPolicy, type AuditPolicy } from '../../apiserver/audit/policy.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import type { ApiServerOptions } from '../api-server-options.ts';
import type { ClosingList } from '../closing-list.ts';
import { RotatingFile } from './rotating-file.ts';

export interface AuditDeps {
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly log: Log;
  /** Writes to stdout, for `--audit-log-path -`. */
  readonly out: (text: string) => void;
}

const MEGABYTE = 2 ** 20;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Undefined: no audit policy is set. Throws AUDIT_POLICY_INVALID. */
export async function openAuditor(
  options: ApiServerOptions,
  deps: AuditDeps,
  closing: ClosingList,
): Promise<Auditor | undefined> {
  const { auditPolicyFile, auditLogPath: file, auditLogFormat: format = 'json' } = options;
  if (auditPolicyFile === undefined || file === undefined) return undefined;
  const policy = await readPolicyFile(auditPolicyFile);
  const { clock, random, log, out } = deps;
  const common = { policy, format, clock, random, log };
  if (file === '-') {
    const auditor = new Auditor({
      ...common,
      write: async (lines) => out(lines.map((line) => `${line}\n`).join('')),
    });
    closing.add(() => auditor.close());
    return auditor;
  }
  const rotating = new RotatingFile({
    file,
    sizeMax: (options.auditLogMaxsize ?? 0) * MEGABYTE,
    ageMsMax: (options.auditLogMaxage ?? 0) * DAY_MS,
    backupsMax: options.auditLogMaxbackup ?? 0,
    compress: options.auditLogCompress ?? false,
    clock,
    log,
  });
  closing.add(() => rotating.close());
  // podkeep fails at start if the log cannot be written, not when an administrator needs it.
  await rotating.check();
  const auditor = new Auditor({ ...common, write: (lines) => rotating.append(lines) });
  closing.add(() => auditor.close());
  return auditor;
}

async function readPolicyFile(file: string): Promise<AuditPolicy> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw auditPolicyInvalid({ reason: `failed to read file path "${file}": ${reason}` }, error);
  }
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { version: '1.1' });
  const [error] = document.errors;
  if (error) throw auditPolicyInvalid({ reason: `failed decoding: ${error.message}` }, error);
  return readPolicy(document.toJS() as unknown);
}
