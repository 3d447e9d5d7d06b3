/**
 * Is a request to the file system under way? Node lists its active resources; since version 26 reading or
 * writing a whole file is none of them, and only async hooks see it.
 */
import { createHook, type HookCallbacks } from 'node:async_hooks';

/** As Node names what it waits for: requests to the file system, and files that are being closed. */
const RESOURCE = /^(?:FSReq|CloseReq)/;
const HOOKED = /^(?:FSREQ|FILEHANDLECLOSEREQ)/;
const FIRST_WITH_HOOKS = 26;

const underWay = new Set<number>();
const isHooked = Number.parseInt(process.versions.node, 10) >= FIRST_WITH_HOOKS;

if (isHooked) {
  const done = (id: number): void => void underWay.delete(id);
  // Promises are far more than all others, and none of them matters here.
  const callbacks: HookCallbacks & { readonly trackPromises: false } = {
    trackPromises: false,
    init: (id, type) => {
      if (HOOKED.test(type)) underWay.add(id);
    },
    after: done,
    destroy: done,
  };
  createHook(callbacks).enable();
}

export function isDiskAtWork(): boolean {
  return underWay.size > 0 || process.getActiveResourcesInfo().some((name) => RESOURCE.test(name));
}
