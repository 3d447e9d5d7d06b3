/**
 * Encodes spans as OTLP JSON (ExportTraceServiceRequest): IDs are hexadecimal, times are nanoseconds as
 * strings, enums are numbers. Secrets in error messages are replaced, as in the log.
 */
import type { JsonObject } from '../../lib/json.ts';
import { redactText } from '../logging/redaction.ts';

export interface EndedSpan {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  /** Null: the span is the root of its trace. */
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: 'internal' | 'client';
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: OtlpAttributes;
  /** Null: the work did not fail. */
  readonly failure: { readonly type: string; readonly message: string } | null;
}

export interface OtlpResource {
  readonly attributes: OtlpAttributes;
  readonly scope: { readonly name: string; readonly version: string };
}

type OtlpAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

const KINDS = { internal: 1, client: 3 } as const;
const STATUS_ERROR = 2;
/** Longer texts, such as those of errors, are cut. */
const TEXT_MAX = 1024;

export function otlpTraces(spans: readonly EndedSpan[], resource: OtlpResource): JsonObject {
  return {
    resourceSpans: [
      {
        resource: { attributes: otlpAttributes(resource.attributes) },
        scopeSpans: [{ scope: { ...resource.scope }, spans: spans.map(otlpSpan) }],
      },
    ],
  };
}

function otlpSpan(span: EndedSpan): JsonObject {
  const { traceId, spanId, parentSpanId, name, kind, startNs, endNs, failure } = span;
  const message = redactText(failure?.message ?? '');
  return {
    traceId,
    spanId,
    ...(parentSpanId !== null && { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: `${startNs}`,
    endTimeUnixNano: `${endNs}`,
    attributes: otlpAttributes(span.attributes),
    ...(failure && {
      events: [
        {
          timeUnixNano: `${endNs}`,
          name: 'exception',
          attributes: otlpAttributes({
            'exception.type': failure.type,
            'exception.message': message,
          }),
        },
      ],
      status: { code: STATUS_ERROR, message: shortText(message) },
    }),
  };
}

function otlpAttributes(attributes: OtlpAttributes): JsonObject[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: otlpValue(value) }],
  );
}

function otlpValue(value: string | number | boolean): JsonObject {
  if (typeof value === 'string') return { stringValue: shortText(value) };
  if (typeof value === 'boolean') return { boolValue: value };
  // 64-bit integers are strings in JSON of protobuf.
  return Number.isSafeInteger(value) ? { intValue: `${value}` } : { doubleValue: value };
}

/** Half a surrogate pair would make the whole request invalid for the receiver. */
function shortText(text: string): string {
  return text.slice(0, TEXT_MAX).replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}
