/** The gRPC status of a call. */
import type { HeaderFields } from './transport.ts';

/** Codes that callers distinguish; `etcd-error.ts` has the others. */
export const grpcCode = { ok: 0, deadlineExceeded: 4, resourceExhausted: 8, unavailable: 14 } as const;

/** A gRPC status as an error; `toEtcdError` reads it. */
export class GrpcError extends Error {
  readonly code: number;
  readonly details: string;

  constructor(code: number, details: string) {
    super(details);
    this.name = 'GrpcError';
    this.code = code;
    this.details = details;
  }
}

export interface GrpcStatus {
  readonly code: number;
  readonly details: string;
}

/** The status in headers or trailers; undefined if it is not there yet. */
export function statusOf(fields: HeaderFields): GrpcStatus | undefined {
  const code = fields.get('grpc-status');
  if (code !== undefined) return { code: Number(code), details: detailsOf(fields.get('grpc-message')) };
  const http = fields.get(':status');
  if (http === undefined || http === '200') return undefined;
  return { code: grpcCode.unavailable, details: `HTTP status ${http}` };
}

/** gRPC percent-encodes messages. */
function detailsOf(message = 'failed'): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
