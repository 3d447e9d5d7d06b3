/** Defines the section `tracing` of KubeletConfiguration. */
import { otlpTracesUrl } from '../../core/tracing/otlp-endpoint.ts';
import { sparse } from './collections.ts';
import { int, reject, text, type Kind } from './field-kinds.ts';
import { optional } from './special-kinds.ts';

const MILLION = 1_000_000;

/** Empty: the default endpoint. */
const endpoint: Kind<string> = {
  ...text(),
  read(value, at) {
    const read = text().read(value, at);
    if (read === '' || otlpTracesUrl(read) !== null) return read;
    return reject(
      at,
      'must be host:port or an http or https URL such as http://localhost:4318, without credentials, query ' +
        'and /v1/traces: podkeep exports OTLP over HTTP and does not speak gRPC',
      '',
    );
  },
};

/** Null: tracing is off. */
export const tracing = optional(
  sparse({
    endpoint,
    samplingRatePerMillion: optional(int(0, { max: MILLION, isPointer: true })),
  }),
);
