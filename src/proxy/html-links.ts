/**
 * Rewrites the links of an HTML page while it passes. Only attributes that hold links are looked at; all other bytes stay
 * as they are. Tags, the only thing that is held back, are bounded: a longer one passes unchanged.
 *
 *   text ──`<a `──▶ tag ──`>`──▶ text       text ──`<!--`──▶ comment ──`-->`──▶ text
 *                    └─`<script>`──▶ raw text ──`</script`──▶ text
 */
import { Transform, type TransformCallback } from 'node:stream';
import { SharedSlice } from '../base/cooperate.ts';

const maxTagBytes = 8 * 1024;

/** A piece of nothing but links takes about a millisecond. */
const pieceBytes = 8 * 1024;

/** All pages share it: a few kilobytes of a compressed page may be megabytes, and many may come at once. */
const rewriting = new SharedSlice();

/** Attributes with links, by element (HTML 4.01 and the living standard of HTML). */
const linkAttributes: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    a: ['href'],
    applet: ['codebase'],
    area: ['href'],
    audio: ['src'],
    base: ['href'],
    blockquote: ['cite'],
    body: ['background'],
    button: ['formaction'],
    command: ['icon'],
    del: ['cite'],
    embed: ['src'],
    form: ['action'],
    frame: ['longdesc', 'src'],
    head: ['profile'],
    html: ['manifest'],
    iframe: ['longdesc', 'src'],
    img: ['longdesc', 'src', 'usemap'],
    input: ['src', 'usemap', 'formaction'],
    ins: ['cite'],
    link: ['href'],
    object: ['classid', 'codebase', 'data', 'usemap'],
    q: ['cite'],
    script: ['src'],
    source: ['src'],
    video: ['poster', 'src'],
  }).map(([element, names]) => [element, new Set(names)]),
);

/** Elements whose content has no tags. */
const rawTextElements: ReadonlySet<string> = new Set([
  'iframe',
  'noembed',
  'noframes',
  'noscript',
  'plaintext',
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
]);

const comment = '-->';

export class HtmlLinks extends Transform {
  readonly #rewrite: (link: string) => string;
  /** The beginning of a tag whose end has not arrived. */
  #rest = '';
  /** Up to this text, nothing is a tag; '' outside of comments and raw text. */
  #until = '';

  constructor(rewrite: (link: string) => string) {
    super();
    this.#rewrite = rewrite;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#passInTurns(chunk).then(() => {
      done();
    }, done);
  }

  override _flush(done: TransformCallback): void {
    done(null, Buffer.from(this.#rest, 'latin1'));
  }

  async #passInTurns(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      if (rewriting.shouldYield()) await rewriting.yieldNow();
      if (this.destroyed) return;
      // Bytes above 127 are no part of what is looked for.
      const text = chunk.toString('latin1', at, Math.min(chunk.length, at + pieceBytes));
      this.push(Buffer.from(this.#pass(this.#rest + text), 'latin1'));
    }
  }

  /** What can be sent; the rest is kept. */
  #pass(text: string): string {
    const out: string[] = [];
    let at = 0;
    this.#rest = '';
    while (at < text.length) {
      const next = this.#until === '' ? this.#markup(text, at) : this.#skip(text, at);
      if (next === undefined) {
        this.#rest = text.slice(at);
        break;
      }
      out.push(text.slice(at, next.from), next.instead ?? '');
      at = next.to ?? next.from;
    }
    return out.join('');
  }

  /** The end of a comment or of raw text. */
  #skip(text: string, at: number): Piece | undefined {
    const found = indexOfText(text, this.#until, at);
    if (found >= 0) {
      const end = found + this.#until.length;
      this.#until = '';
      return { from: end };
    }
    const kept = Math.max(at, text.length - this.#until.length + 1);
    return kept > at ? { from: kept } : undefined;
  }

  /** Text up to the next tag, or that tag. */
  #markup(text: string, at: number): Piece | undefined {
    const start = text.indexOf('<', at);
    if (start < 0) return { from: text.length };
    if (start > at) return { from: start };
    if (text.startsWith('<!--', start)) {
      this.#until = comment;
      return { from: start + 4 };
    }
    if ('<!--'.startsWith(text.slice(start))) return undefined;
    const end = /[A-Za-z]/.test(text[start + 1] ?? '') ? endOfTag(text, start) : 'none';
    if (end === 'none') return { from: start + 1 };
    if (end === 'open') return text.length - start > maxTagBytes ? { from: start + 1 } : undefined;
    return { from: start, instead: this.#tag(text.slice(start, end)), to: end };
  }

  #tag(tag: string): string {
    const name = tag.slice(1, endOfName(tag, 1)).toLowerCase();
    if (rawTextElements.has(name)) this.#until = `</${name}`;
    const names = linkAttributes.get(name);
    return names ? this.#attributes(tag, 1 + name.length, names) : tag;
  }

  /** In one pass: a tag may be made so that a search from each of its characters would take long. */
  #attributes(tag: string, start: number, names: ReadonlySet<string>): string {
    const out = [tag.slice(0, start)];
    let at = start;
    while (at < tag.length) {
      const nameAt = skipAll(tag, at, ' \t\n\f\r/>');
      const nameEnd = endOfName(tag, nameAt + 1);
      const equals = skipAll(tag, nameEnd, ' \t\n\f\r');
      out.push(tag.slice(at, nameEnd));
      at = nameEnd;
      if (tag[equals] !== '=') continue;
      const valueAt = skipAll(tag, equals + 1, ' \t\n\f\r');
      const valueEnd = endOfValue(tag, valueAt);
      const value = tag.slice(valueAt, valueEnd);
      const isLink = names.has(tag.slice(nameAt, nameEnd).toLowerCase());
      out.push(tag.slice(nameEnd, valueAt), isLink ? this.#value(value) : value);
      at = valueEnd;
    }
    return out.join('');
  }

  #value(value: string): string {
    const isQuoted = value.startsWith('"') || value.startsWith("'");
    const link = isQuoted ? value.slice(1, -1) : value;
    const rewritten = this.#rewrite(link);
    return rewritten === link ? value : `"${rewritten.replaceAll('"', '&quot;')}"`;
  }
}

/** The text up to `from` passes, then comes `instead`, and it goes on at `to` (absent: at `from`). */
interface Piece {
  readonly from: number;
  readonly instead?: string;
  readonly to?: number;
}

/**
 * Behind the `>` that ends a tag; quoted ones do not. `none`: another tag begins before, so this is none. `open`: the end
 * has not arrived, or is too far away.
 */
function endOfTag(text: string, start: number): number | 'none' | 'open' {
  let quote = '';
  const last = Math.min(text.length, start + maxTagBytes + 1);
  for (let i = start + 1; i < last; i++) {
    const char = text[i] ?? '';
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '>') return i + 1;
    else if (char === '<') return 'none';
    else if (char === '"' || char === "'") quote = char;
  }
  return 'open';
}

function endOfName(tag: string, at: number): number {
  return until(tag, at, ' \t\n\f\r/>=');
}

function endOfValue(tag: string, at: number): number {
  const quote = tag[at] ?? '';
  if (quote !== '"' && quote !== "'") return until(tag, at, ' \t\n\f\r>');
  const end = tag.indexOf(quote, at + 1);
  return end < 0 ? tag.length : end + 1;
}

function until(text: string, at: number, ends: string): number {
  let i = at;
  while (i < text.length && !ends.includes(text[i] ?? '')) i++;
  return i;
}

function skipAll(text: string, at: number, skipped: string): number {
  let i = at;
  while (i < text.length && skipped.includes(text[i] ?? '')) i++;
  return i;
}

/** Without regard to upper and lower case. */
function indexOfText(text: string, wanted: string, at: number): number {
  for (let i = text.indexOf(wanted[0] ?? '', at); i >= 0; i = text.indexOf(wanted[0] ?? '', i + 1))
    if (text.slice(i, i + wanted.length).toLowerCase() === wanted) return i;
  return -1;
}
