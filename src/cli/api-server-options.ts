/** Defines the options of `podkeep up` that kube-apiserver has, too: encryption, audit, keys. */
import { Option, type Command } from 'commander';
import { readCount } from './option-values.ts';

export interface ApiServerOptions {
  readonly encryptionProviderConfig?: string;
  readonly encryptionProviderConfigAutomaticReload?: boolean;
  readonly serviceAccountSigningKeyFile?: string;
  readonly serviceAccountKeyFile?: readonly string[];
  readonly auditPolicyFile?: string;
  readonly auditLogPath?: string;
  readonly auditLogFormat?: 'json' | 'legacy';
  readonly auditLogMaxsize?: number;
  readonly auditLogMaxage?: number;
  readonly auditLogMaxbackup?: number;
  readonly auditLogCompress?: boolean;
}

export function addApiServerOptions(command: Command): Command {
  return command
    .option(
      '--encryption-provider-config <file>',
      'an EncryptionConfiguration: which resources are encrypted on disk, and how',
    )
    .option(
      '--encryption-provider-config-automatic-reload',
      'read the EncryptionConfiguration again when it changes',
    )
    .option(
      '--service-account-signing-key-file <file>',
      'the private key that signs service account tokens, instead of the one in the data folder',
    )
    .option(
      '--service-account-key-file <file>',
      'keys that verify service account tokens too; may be given several times',
      (file: string, before: readonly string[] | undefined) => [...(before ?? []), file],
    )
    .option(
      '--audit-policy-file <file>',
      'an audit Policy: which requests are logged, and how much',
    )
    .option('--audit-log-path <file>', 'where audit events are logged; - is stdout')
    .addOption(
      new Option('--audit-log-format <form>', 'JSON, or one line of text for an event')
        .choices(['json', 'legacy'])
        .default('json'),
    )
    .addOption(
      new Option('--audit-log-maxsize <megabytes>', 'rotate the file at this size; 0: never')
        .argParser(readCount)
        .default(100),
    )
    .addOption(
      new Option('--audit-log-maxage <days>', 'remove older files; 0: never')
        .argParser(readCount)
        .default(366),
    )
    .addOption(
      new Option('--audit-log-maxbackup <count>', 'remove files beyond this many; 0: never')
        .argParser(readCount)
        .default(100),
    )
    .option('--audit-log-compress', 'compress files that are complete with gzip', false);
}

/** Checks options that must be set together. Null: they are valid. */
export function faultOfApiServerOptions(options: ApiServerOptions): string | null {
  const { encryptionProviderConfig, encryptionProviderConfigAutomaticReload: reloads } = options;
  if (reloads && encryptionProviderConfig === undefined) {
    return '--encryption-provider-config-automatic-reload must be set with --encryption-provider-config';
  }
  const { auditPolicyFile, auditLogPath } = options;
  if ((auditPolicyFile === undefined) !== (auditLogPath === undefined)) {
    return '--audit-policy-file and --audit-log-path must be set together';
  }
  return null;
}
