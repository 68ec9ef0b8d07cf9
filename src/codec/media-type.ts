/** Media types and Accept lists (RFC 9110, sections 8.3 and 12.5.1), parsed strictly. */

export interface MediaType {
  /** `application/json`, in lower case. */
  readonly essence: string;
  /** Parameters by lower-case name, values as sent. */
  readonly params: ReadonlyMap<string, string>;
}

export interface AcceptRange extends MediaType {
  /** 0 to 1; 0 means not acceptable. */
  readonly quality: number;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const essencePattern = new RegExp(`[ \\t]*(${token}/${token})[ \\t]*`, 'y');
const value = `(${token})|"((?:[^"\\\\\\u0000-\\u0008\\u000a-\\u001f\\u007f]|\\\\[\\t -~])*)"`;
const paramPattern = new RegExp(`;[ \\t]*(?:(${token})=(?:${value}))?[ \\t]*`, 'y');
/** Clients send `profile=` for the usual one, and the reference takes a range with a parameter that has no value. */
const rangeParamPattern = new RegExp(`;[ \\t]*(?:(${token})=(?:${value})?)?[ \\t]*`, 'y');
const qualityPattern = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

/** Longest header read; what is longer counts as malformed. */
const maxHeaderLength = 8_192;

/** Reads a Content-Type value; undefined when it is malformed. A parameter given twice is malformed. */
export function parseMediaType(text: string): MediaType | undefined {
  if (text.length > maxHeaderLength) return undefined;
  const found = readMediaType(text, 0, paramPattern);
  return found?.end === text.length ? found.type : undefined;
}

/**
 * Reads an Accept list in order of appearance; undefined when it is malformed. Empty list elements are skipped, and parameters may
 * be empty.
 */
export function parseAccept(text: string): AcceptRange[] | undefined {
  if (text.length > maxHeaderLength) return undefined;
  const ranges: AcceptRange[] = [];
  let at = 0;
  while (at < text.length) {
    const separator = /[ \t,]*/y;
    separator.lastIndex = at;
    at += separator.exec(text)?.[0].length ?? 0;
    if (at >= text.length) break;
    const found = readMediaType(text, at, rangeParamPattern);
    const range = found && toRange(found.type);
    if (!range || (found.end < text.length && text[found.end] !== ',')) return undefined;
    ranges.push(range);
    at = found.end;
  }
  return ranges;
}

function toRange(type: MediaType): AcceptRange | undefined {
  const params = new Map(type.params);
  const quality = params.get('q') ?? '1';
  params.delete('q');
  return qualityPattern.test(quality)
    ? { essence: type.essence, params, quality: Number(quality) }
    : undefined;
}

function readMediaType(
  text: string,
  start: number,
  pattern: RegExp,
): { type: MediaType; end: number } | undefined {
  essencePattern.lastIndex = start;
  const essence = essencePattern.exec(text);
  if (!essence) return undefined;
  const params = new Map<string, string>();
  let end = start + essence[0].length;
  for (;;) {
    pattern.lastIndex = end;
    const found = pattern.exec(text);
    if (!found) break;
    end += found[0].length;
    const name = found[1]?.toLowerCase();
    if (name === undefined) continue;
    if (params.has(name)) return undefined;
    params.set(name, found[2] ?? (found[3] ?? '').replace(/\\(.)/g, '$1'));
  }
  return { type: { essence: (essence[1] ?? '').toLowerCase(), params }, end };
}

/** A representation that the server can give. */
export interface MediaTypeOffer {
  /** `application/json`. */
  readonly essence: string;
  /** Whether it can be given with these parameters (q is already taken off). Absent: any parameters are ignored. */
  readonly accepts?: (params: ReadonlyMap<string, string>) => boolean;
}

export interface Negotiated<T extends MediaTypeOffer> {
  readonly offer: T;
  readonly params: ReadonlyMap<string, string>;
}

const noParams: ReadonlyMap<string, string> = new Map();

/**
 * Chooses a representation: ranges by falling quality, then in the order sent; each takes the first offer that fits.
 * A full wildcard fits every offer. Partial ranges (`application/*`) fit none: clients of this API get 406 for them.
 * @param accept the Accept header, undefined or empty for none (the first offer is taken)
 * @returns undefined when nothing fits or the header is malformed (406)
 */
export function negotiate<T extends MediaTypeOffer>(
  accept: string | undefined,
  offers: readonly T[],
): Negotiated<T> | undefined {
  const ranges = accept === undefined || accept.trim() === '' ? anything : parseAccept(accept);
  if (!ranges) return undefined;
  const refused = new Set(ranges.filter((r) => r.quality === 0 && r.params.size === 0).map((r) => r.essence));
  const byQuality = ranges.filter((r) => r.quality > 0).sort((a, b) => b.quality - a.quality);
  for (const range of byQuality) {
    const offer = offers.find((o) => !refused.has(o.essence) && fits(range, o));
    if (offer) return { offer, params: range.params };
  }
  return undefined;
}

const anything: readonly AcceptRange[] = [{ essence: '*/*', params: noParams, quality: 1 }];

function fits(range: AcceptRange, offer: MediaTypeOffer): boolean {
  if (range.essence !== '*/*' && range.essence !== offer.essence) return false;
  return offer.accepts?.(range.params) ?? true;
}
