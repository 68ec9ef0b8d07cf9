/** A protocol violation or flood of the peer: closes the connection with this error code (RFC 9113, section 7). */
const codes = {
  ...{ protocol: 1, flowControl: 3, frameSize: 6, compression: 9, enhanceYourCalm: 11 },
} as const;

export class PeerError extends Error {
  readonly code: number;

  constructor(reason: keyof typeof codes, message: string) {
    super(`http2: ${message}`);
    this.name = 'PeerError';
    this.code = codes[reason];
  }
}

/** The error code for the GOAWAY frame. */
export function peerErrorCodeOf(error: unknown): number {
  return error instanceof PeerError ? error.code : codes.protocol;
}
