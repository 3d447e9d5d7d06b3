/**
 * Decides whether a container that exited is started again (SM-34).
 *
 *     its own rules, first match ──> its own policy ──> the pod's policy ──> otherwise: yes
 *
 * A container's rules count only if it has a policy of its own. `RestartAllContainers` restarts the container
 * like `Restart` does, and with it the whole pod in place (E-7).
 */
import type { Container, ContainerRestartRule, PodSpec, RestartPolicy } from '../../api/pod.ts';
import { initAndRegularContainers } from '../pod/pod-facts.ts';

/** Does this container start again after it ended with `exitCode`? */
export function restartsAfterExit(
  container: Container,
  spec: Pick<PodSpec, 'restartPolicy'>,
  exitCode: number,
): boolean {
  if (container.restartPolicy) {
    const action = matchingRestartRule(container, exitCode)?.action;
    if (action === 'Restart' || action === 'RestartAllContainers') return true;
    const own = restartsByPolicy(container.restartPolicy, exitCode);
    if (own !== undefined) return own;
  }
  return restartsByPolicy(spec.restartPolicy, exitCode) ?? true;
}

/** The first rule whose exit codes match. A rule without exit codes never does. */
export function matchingRestartRule(
  container: Container,
  exitCode: number,
): ContainerRestartRule | undefined {
  return container.restartPolicyRules?.find(({ exitCodes }) => {
    const listed = exitCodes?.values?.includes(exitCode) ?? false;
    return (exitCodes?.operator === 'In' && listed) || (exitCodes?.operator === 'NotIn' && !listed);
  });
}

export function restartsAllContainers(container: Container, exitCode: number): boolean {
  return matchingRestartRule(container, exitCode)?.action === 'RestartAllContainers';
}

/** Does any container carry a rule that would restart the whole pod in place? */
export function mayRestartAllContainers(spec: PodSpec): boolean {
  return initAndRegularContainers(spec).some((container) =>
    container.restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'),
  );
}

/** May a container that has to be stopped while it runs (a failed probe) start again? */
export function restartsOnFailure(
  container: Pick<Container, 'restartPolicy'>,
  spec: Pick<PodSpec, 'restartPolicy'>,
): boolean {
  return (container.restartPolicy ?? spec.restartPolicy) !== 'Never';
}

function restartsByPolicy(
  policy: RestartPolicy | undefined,
  exitCode: number,
): boolean | undefined {
  if (policy === 'Always') return true;
  if (policy === 'OnFailure') return exitCode !== 0;
  if (policy === 'Never') return false;
  return undefined; // none, or one that this version does not know: the next level decides
}
