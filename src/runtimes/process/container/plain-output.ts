/** Copies the output of a container without a monitor from plain files into its log. */
import type { ContainerWorld } from './container-world.ts';
import { reasonOf } from '../json-file.ts';
import { LogPump } from '../logs/log-pump.ts';
import type { ContainerRecord } from './records.ts';

export function openPlainOutput(
  { id, config, logFile }: ContainerRecord,
  folder: string,
  { log, punch }: ContainerWorld,
): LogPump {
  return LogPump.open({
    folder,
    logFile,
    punch,
    onTrouble: (error) => {
      const facts = { container: config.name, id, reason: reasonOf(error) };
      log.warn('Failed to write a container log; retrying', facts);
    },
  });
}
