/** Blocks of text that hold certificates and requests for them. */

export interface PemBlock {
  readonly type: string;
  readonly bytes: Buffer;
}

const block = /-----BEGIN ([A-Z0-9 ]+)-----\r?\n([A-Za-z0-9+/=\s]*?)-----END \1-----/g;

/** The blocks of a text in their order. */
export function pemBlocks(text: string): PemBlock[] {
  return [...text.matchAll(block)].map(([, type = '', body = '']) => ({
    type,
    bytes: Buffer.from(body.replace(/\s/g, ''), 'base64'),
  }));
}

/** What stands outside the blocks, without white space. */
export function outsidePem(text: string): string {
  return text.replace(block, '').trim();
}
