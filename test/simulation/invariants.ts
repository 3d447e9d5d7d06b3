/**
 * What must be true in every history, by number. A failing seed names the one that broke.
 *
 * A model checks them from what is visible from outside: the work that podkeep starts, the requests it
 * sends, the statuses it accepts. Podkeep's own state plays no part in it.
 */
export const INVARIANTS: Readonly<Record<number, string>> = {
  1: 'one piece of work at a time for each pod (PW-1)',
  2: 'no pod moves backward: no sync after a stop, no stop after a release (PW-4, PW-81)',
  3: 'the grace period of a pod only shrinks (PW-45)',
  4: 'never do two static pods of one full name run at once, or hold anything (PW-41, PW-80)',
  5: 'no terminal phase is written while a container of the pod runs (SM-84)',
  6: 'no status is written after a newer one',
  7: 'no accepted status is lost: the newest one reaches the API',
  8: 'a pod is deleted from the API only if that was asked for, and nothing of it is left (SM-61)',
  9: 'every kill completes once, when nothing of the pod runs (V-2, V-6)',
  10: 'one request at a time for each pod, and never more than the window in all',
  11: 'foreign conditions survive every write (SM-12)',
  12: 'when the faults have stopped, everything comes right in bounded time',
  13: 'no rule of podkeep itself breaks: no pod is parked, nothing is thrown and not caught',
  14: 'no probe result is lost: what is accepted last says what the probes found last (F-3)',
  15: 'no container starts when its pod has been stopped, and none runs twice at once',
  16: 'a pod that is known to be terminated does not run, and what runs keeps its volumes (PW-70)',
  17: 'exit codes in the API are those of the containers (KL-11)',
  18: 'when everything is right, nothing more is written, and no timer but the resync is left',
  19: 'work that was overtaken is aborted at once: a sync by the end, a stop by a shorter time (F-8)',
  20: 'what is accepted while a write is under way is sent when that has ended (F-4)',
  21: 'after a conflict the object is read before anything is written (SM-74)',
  22: 'the newest word about a pod that runs is acted on, as soon as nothing else is done for it (PW-5)',
  23: 'a static pod whose full name is free starts at once (V-7)',
  24: 'no patch is sent that says nothing (SM-73)',
  25: 'no static pod, mirror pod or critical pod is evicted by the eviction manager',
  26: 'at most one pod a round is evicted for a pressure, and the next round waits for its cleanup',
  27: 'the pod that goes is the first by the ranking of the kubelet',
  28: 'no eviction rests on old or missing stats',
  29: 'a hard threshold acts at once, a soft one when its grace period is over, and no other one',
  30: 'a pressure lasts from its first observation until its transition period is over',
  31: 'pods above their own limits go first, all of them, and then no other in this round',
  32: 'the node reclaims what is unused before a pod goes, and no pod goes if that is enough',
};
