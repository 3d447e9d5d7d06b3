/** The Status that reports on the error stream how a command has ended. */

export interface CommandStatus {
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: {
    readonly causes: readonly { readonly reason: string; readonly message: string }[];
  };
  readonly code?: number;
}

export const SUCCEEDED: CommandStatus = { status: 'Success' };

/** kubectl exits with the exit code in this Status. */
export function exitedWith(exitCode: number): CommandStatus {
  if (exitCode === 0) return SUCCEEDED;
  return {
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

export function brokeWith(doing: string, error: unknown): CommandStatus {
  const why = error instanceof Error ? error.message : String(error);
  return {
    status: 'Failure',
    reason: 'InternalError',
    message: `Internal error occurred: ${doing}: ${why}`,
    code: 500,
  };
}
