/** Runs work in a span of a trace. It never changes what the work returns or throws. */
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

export interface SpanOptions {
  readonly name: string;
  readonly attributes: SpanAttributes;
  /** The signal that cancels the work, if there is one. */
  readonly signal?: AbortSignal | undefined;
  /** A call of another program is a `client`; absent: `internal`. */
  readonly kind?: 'internal' | 'client';
  /** True: the span begins a trace, whatever span is active. */
  readonly isRoot?: boolean;
}

export type RunInSpan = <Result>(
  options: SpanOptions,
  work: () => Promise<Result>,
) => Promise<Result>;
