/** Messages of DNS: what was asked, and an answer to it. */

export interface Question {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'other';
}

const headBytes = 12;

/** The name and type that a query asks for. */
export function nameAsked(query: Buffer): Question {
  const labels: string[] = [];
  let at = headBytes;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  return { name: labels.join('.'), type: type === 1 ? 'A' : type === 28 ? 'AAAA' : 'other' };
}

/** @param addresses of IPv4; undefined: there is no such name */
export function nameServerAnswer(query: Buffer, addresses: readonly string[] | undefined): Buffer {
  const question = query.subarray(headBytes, query.indexOf(0, headBytes) + 5);
  const head = Buffer.alloc(headBytes);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(addresses ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(addresses?.length ?? 0, 6);
  const records = (addresses ?? []).map((address) =>
    // The name of the question, A, IN, 60 seconds, 4 bytes.
    Buffer.concat([
      Buffer.from('c00c00010001' + '0000003c' + '0004', 'hex'),
      Buffer.from(address.split('.').map(Number)),
    ]),
  );
  return Buffer.concat([head, question, ...records]);
}
