/**
 * Parses the eviction thresholds of the kubelet configuration, and refuses what Kubernetes' kubelet refuses,
 * with the same messages.
 *
 *     evictionHard             signal ──> amount or percentage; 0% and 100% switch a threshold off
 *     evictionSoft             the same, each with a period in evictionSoftGracePeriod
 *     evictionMinimumReclaim   signal ──> amount or percentage, for hard and soft thresholds alike
 *
 * If `enforceNodeAllocatable` includes `pods`, every hard threshold of memory.available also applies to
 * allocatableMemory.available.
 */
import { signOfQuantity, type Quantity } from '../../api/values/quantity.ts';
import { formatQuantity, parseQuantity } from '../../api/values/quantity-text.ts';
import { defineError } from '../../lib/errors.ts';
import { EVICTION_SIGNALS, isEvictionSignal, type EvictionSignal } from './eviction-signal.ts';
import {
  isHardThreshold,
  type EvictionThreshold,
  type ThresholdValue,
} from './eviction-threshold.ts';

/** By signal. */
type Statements = Readonly<Record<string, string>>;

export interface EvictionSettings {
  readonly hard: Statements;
  readonly soft?: Statements;
  /** In milliseconds. */
  readonly softGraceMs?: Readonly<Record<string, number>>;
  readonly minimumReclaim?: Statements;
  /** All pods together are limited: `enforceNodeAllocatable` names `pods`. */
  readonly enforcesAllocatable?: boolean;
}

const thresholdInvalid = defineError<{ problem: string }>({
  code: 'EVICTION_THRESHOLD_INVALID',
  retry: 'never',
  message: ({ problem }) => problem,
  hint: () =>
    `Write a quantity like 100Mi or a percentage like 10%, for one of ${EVICTION_SIGNALS.join(', ')}.`,
});

/** Of Go's ParseFloat, what a person would write. */
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Throws EVICTION_THRESHOLD_INVALID. */
export function parseEvictionSettings(settings: EvictionSettings): readonly EvictionThreshold[] {
  const { soft = {}, softGraceMs = {}, minimumReclaim = {}, enforcesAllocatable } = settings;
  const hard = parseThresholds(settings.hard);
  const periods = checkPeriods(softGraceMs);
  const reclaims = parseReclaims(minimumReclaim);
  const later = parseThresholds(soft).map((threshold) => {
    const graceMs = periods.get(threshold.signal);
    if (graceMs !== undefined) return { ...threshold, graceMs };
    throw invalid(
      `grace period must be specified for the soft eviction threshold ${threshold.signal}`,
    );
  });
  const all = [...hard, ...later].map((threshold) => {
    return { ...threshold, minReclaim: reclaims.get(threshold.signal) ?? null };
  });
  return enforcesAllocatable ? [...all, ...allocatableThresholds(all)] : all;
}

/** Hard thresholds. Throws EVICTION_THRESHOLD_INVALID. */
export function parseThresholds(statements: Statements): readonly EvictionThreshold[] {
  return Object.entries(statements).flatMap(([name, text]) => {
    const signal = signalOf(name);
    if (text === '0%' || text === '100%') return [];
    const value = text.endsWith('%') ? percentage(signal, text) : amount(signal, text);
    return [{ signal, value, graceMs: 0, minReclaim: null }];
  });
}

function allocatableThresholds(all: readonly EvictionThreshold[]): readonly EvictionThreshold[] {
  return all
    .filter((one) => one.signal === 'memory.available' && isHardThreshold(one))
    .map((one) => ({ ...one, signal: 'allocatableMemory.available' }));
}

function checkPeriods(
  periods: Readonly<Record<string, number>>,
): ReadonlyMap<EvictionSignal, number> {
  return new Map(
    Object.entries(periods).map(([name, ms]) => {
      const signal = signalOf(name);
      if (ms >= 0) return [signal, ms];
      throw invalid(`invalid eviction grace period specified: ${ms}ms, must be a positive value`);
    }),
  );
}

function parseReclaims(statements: Statements): ReadonlyMap<EvictionSignal, ThresholdValue> {
  return new Map(
    Object.entries(statements).map(([name, text]) => {
      const signal = signalOf(name);
      return [signal, text.endsWith('%') ? reclaimPart(signal, text) : reclaimAmount(signal, text)];
    }),
  );
}

function signalOf(name: string): EvictionSignal {
  if (isEvictionSignal(name)) return name;
  throw invalid(`unsupported eviction signal ${name}`);
}

function percentage(signal: EvictionSignal, text: string): number {
  const part = partOf(text);
  if (part < 0) throw invalid(`eviction percentage threshold ${signal} must be >= 0%: ${text}`);
  if (part > 1) throw invalid(`eviction percentage threshold ${signal} must be <= 100%: ${text}`);
  return part;
}

function amount(signal: EvictionSignal, text: string): Quantity {
  const quantity = quantityOf(text);
  if (signOfQuantity(quantity) > 0) return quantity;
  throw invalid(`eviction threshold ${signal} must be positive: ${formatQuantity(quantity)}`);
}

function reclaimPart(signal: EvictionSignal, text: string): number {
  const part = partOf(text);
  if (part > 0) return part;
  throw invalid(`eviction percentage minimum reclaim ${signal} must be positive: ${text}`);
}

function reclaimAmount(signal: EvictionSignal, text: string): Quantity {
  const quantity = quantityOf(text);
  if (signOfQuantity(quantity) >= 0) return quantity;
  throw invalid(`negative eviction minimum reclaim specified for ${signal}`);
}

function partOf(text: string): number {
  const digits = text.replace(/%+$/, '');
  if (DECIMAL.test(digits)) return Math.fround(Math.fround(Number(digits)) / 100);
  throw invalid(`strconv.ParseFloat: parsing ${JSON.stringify(digits)}: invalid syntax`);
}

function quantityOf(text: string): Quantity {
  try {
    return parseQuantity(text);
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error), error);
  }
}

function invalid(problem: string, cause?: unknown): Error {
  return thresholdInvalid({ problem }, cause);
}
