/** Compiles the seccomp filters of containers; the default filter once per set of capabilities. */
import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import { compileSeccomp } from '../../../lib/seccomp/compile-seccomp.ts';
import { DEFAULT_SECCOMP_PROFILE } from '../../../lib/seccomp/default-profile.ts';
import { parseSeccompProfile } from '../../../lib/seccomp/parse-profile.ts';
import { seccompFlags } from '../../../lib/seccomp/seccomp-flags.ts';
import type { SeccompProcessor, SeccompProfile } from '../../../lib/seccomp/seccomp-profile.ts';
import type { ContainerSecurity } from '../../../ports/runtime/container-config.ts';
import { keptNames } from '../machine/capabilities.ts';
import { containerNotStarted } from '../errors.ts';
import { reasonOf } from '../json-file.ts';

export interface SeccompFilter {
  readonly program: Uint8Array;
  readonly flags: number;
}

const LOCALHOST = 'localhost/';

export class SeccompFilters {
  readonly #compiled = new Map<string, SeccompFilter>();
  readonly #processor: string;

  constructor(processor: string = process.arch) {
    this.#processor = processor;
  }

  /** Undefined: no filter. A privileged container never has one. */
  of(name: string, security: ContainerSecurity): SeccompFilter | undefined {
    const { seccomp = 'unconfined', isPrivileged } = security;
    if (isPrivileged || seccomp === 'unconfined') return undefined;
    // Undefined: the container has all capabilities. The filter is then that of a container without any.
    const capabilities = (keptNames(security) ?? []).map((each) => `CAP_${each.toUpperCase()}`);
    try {
      if (!seccomp.startsWith(LOCALHOST)) return this.#default(capabilities);
      const text = readFileSync(seccomp.slice(LOCALHOST.length), 'utf8');
      return this.#compile(parseSeccompProfile(text), capabilities);
    } catch (error) {
      const reason = `its seccomp profile cannot be used: ${reasonOf(error)}`;
      throw containerNotStarted({ name, reason }, error);
    }
  }

  /** For podkeep's processes that only wait inside a container. */
  ofWaiting(): SeccompFilter {
    return this.#default([]);
  }

  #default(capabilities: readonly string[]): SeccompFilter {
    const key = capabilities.toSorted().join(' ');
    const known = this.#compiled.get(key);
    if (known) return known;
    const made = this.#compile(DEFAULT_SECCOMP_PROFILE, capabilities);
    this.#compiled.set(key, made);
    return made;
  }

  #compile(profile: SeccompProfile, capabilities: readonly string[]): SeccompFilter {
    if (!isKnown(this.#processor)) {
      throw new Error(`no filters can be made for processor ${this.#processor}`);
    }
    const [major = 0, minor = 0] = release().split('.').map(Number);
    const kernel = [major, minor] as const;
    const target = { processor: this.#processor, capabilities, kernel };
    return { program: compileSeccomp(profile, target), flags: seccompFlags(profile) };
  }
}

function isKnown(processor: string): processor is SeccompProcessor {
  return ['x64', 'arm64', 'riscv64'].includes(processor);
}
