/** An answer that refuses a request. */

/** What the service tells of it (`v1`, `Status`). */
export interface ApiStatus {
  readonly kind: 'Status';
  readonly status: string;
  readonly message: string;
  /** Such as `NotFound`; '' if there is none. */
  readonly reason: string;
  readonly code: number;
  readonly details?: unknown;
}

export class ApiError extends Error {
  /** Method and path. */
  readonly request: string;
  readonly status: ApiStatus;

  /** @param request method and path, for the reader of the message */
  constructor(request: string, status: ApiStatus) {
    super(`${request}: ${String(status.code)} ${status.reason}: ${status.message}`);
    this.name = 'ApiError';
    this.request = request;
    this.status = status;
  }

  /** HTTP status. */
  get code(): number {
    return this.status.code;
  }

  get reason(): string {
    return this.status.reason;
  }
}
