/**
 * Requests for certificates (RFC 2986), read as far as the service needs: the subject and the alternative names.
 *
 * By hand, for requests come from strangers and the thread serves everyone. A hostile one of 10 KB (2,400 names) took
 * `@peculiar/x509` 65 to 150 ms, and one with a name of another kind (`otherName`) ended in a TypeError; here
 * it takes a millisecond or two.
 */

interface Node {
  readonly tag: number;
  /** With tag and length. */
  readonly whole: Buffer;
  readonly content: Buffer;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Kinds of alternative names: 1 mail, 2 DNS, 6 URI, 7 address. */
  readonly nameKinds: readonly number[];
}

/** Larger ones are not read. The largest key in use makes a request of 8 KB (ML-DSA-87). */
const maxBytes = 16 * 1024;

const sequence = 0x30;
const attributes = 0xa0;
const commonNameId = '550403';
const organizationId = '55040a';
const extensionRequestId = '2a864886f70d01090e';
const alternativeNamesId = '551d11';
const longForm = 0x80;
const maxLengthBytes = 3;

const integer = 0x02;
const bitString = 0x03;
const universalString = 0x1c;
const bmpString = 0x1e;
const requestTags = [sequence, sequence, bitString];
const infoTags = [integer, sequence, sequence];

/** Undefined when the bytes are no request, or more than one in use ever has. */
export function parseCertificateRequest(bytes: Buffer): CertificateRequest | undefined {
  if (bytes.length > maxBytes) return undefined;
  const [request, ...more] = membersOf(bytes, [sequence]);
  if (!request || more.length > 0) return undefined;
  const [info] = membersOf(request.content, requestTags);
  const [, subject, , attached] = info ? membersOf(info.content, infoTags) : [];
  if (!subject) return undefined;
  const names = subjectNames(subject);
  if (!names) return undefined;
  return {
    commonName: names.find(([id]) => id === commonNameId)?.[1] ?? '',
    organizations: names.filter(([id]) => id === organizationId).map(([, text]) => text),
    nameKinds: attached?.tag === attributes ? alternativeNames(attached) : [],
  };
}

export interface SignedRequest {
  /** The bytes that the signature is over. */
  readonly signed: Buffer;
  /** The object identifier of how it was signed, in hex. */
  readonly algorithm: string;
  readonly signature: Buffer;
  /** In PKIX form. */
  readonly publicKey: Buffer;
}

/** What is needed to verify a request; undefined when the bytes are none. */
export function signedRequestOf(bytes: Buffer): SignedRequest | undefined {
  if (bytes.length > maxBytes) return undefined;
  const [request, ...more] = membersOf(bytes, [sequence]);
  if (!request || more.length > 0) return undefined;
  const [info, algorithm, signature] = membersOf(request.content, requestTags);
  if (!info || !algorithm || !signature) return undefined;
  const [id] = nodes(algorithm.content) ?? [];
  const [, , publicKey] = membersOf(info.content, infoTags);
  if (!id || !publicKey) return undefined;
  // The first byte of a bit string counts the bits that its last byte does not use.
  const of = { algorithm: id.content.toString('hex'), signature: signature.content.subarray(1) };
  return { ...of, signed: info.whole, publicKey: publicKey.whole };
}

/** The values of a constructed one that begins with these tags; none when it does not. */
function membersOf(bytes: Buffer, tags: readonly number[]): Node[] {
  const found = nodes(bytes) ?? [];
  return tags.every((tag, i) => found[i]?.tag === tag) ? found : [];
}

/** The values of a constructed one; undefined when lengths do not fit. */
function nodes(bytes: Buffer): Node[] | undefined {
  const found: Node[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = lengthAt(bytes, at + 1);
    if (!length || length.end + length.value > bytes.length) return undefined;
    const end = length.end + length.value;
    found.push({
      tag: bytes[at] ?? 0,
      whole: bytes.subarray(at, end),
      content: bytes.subarray(length.end, end),
    });
    at = end;
  }
  return found;
}

function lengthAt(bytes: Buffer, at: number): { readonly value: number; readonly end: number } | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < longForm) return { value: first, end: at + 1 };
  const size = first - longForm;
  if (size === 0 || size > maxLengthBytes || at + 1 + size > bytes.length) return undefined;
  return { value: bytes.readUIntBE(at + 1, size), end: at + 1 + size };
}

/** Attribute identifiers in hex, and their texts; undefined when one of them cannot be read. */
function subjectNames(subject: Node): (readonly [id: string, text: string])[] | undefined {
  const names: (readonly [string, string])[] = [];
  for (const set of nodes(subject.content) ?? [undefined]) {
    for (const attribute of (set && nodes(set.content)) ?? [undefined]) {
      const [id, text] = (attribute && nodes(attribute.content)) ?? [];
      if (!id || !text) return undefined;
      names.push([id.content.toString('hex'), textOf(text)]);
    }
  }
  return names;
}

/** Texts of more than one byte a letter must not hide what they say: those who sign, and those who verify, read them all. */
function textOf({ tag, content }: Node): string {
  const width = tag === bmpString ? 2 : tag === universalString ? 4 : 1;
  if (width === 1) return content.toString('utf8');
  const letters: number[] = [];
  for (let at = 0; at + width <= content.length; at += width) letters.push(content.readUIntBE(at, width));
  return letters.map((letter) => (letter <= 0x10ffff ? String.fromCodePoint(letter) : '\ufffd')).join('');
}

function alternativeNames(attached: Node): number[] {
  return (nodes(attached.content) ?? [])
    .flatMap((attribute) => valueOf(attribute, extensionRequestId))
    .flatMap((set) => nodes(set.content) ?? [])
    .flatMap((extensions) => nodes(extensions.content) ?? [])
    .flatMap((extension) => valueOf(extension, alternativeNamesId))
    .flatMap((octets) => nodes(octets.content) ?? [])
    .flatMap((names) => nodes(names.content) ?? [])
    .map(({ tag }) => tag & 0x1f);
}

/** The last member of a struct that begins with an identifier. */
function valueOf(node: Node, id: string): Node[] {
  const members = nodes(node.content) ?? [];
  const value = members.at(-1);
  return value && members[0]?.content.toString('hex') === id ? [value] : [];
}
