/** Whether a text in PEM form is whole: a file may be read while somebody writes it. */

const wholeBlock = /-----BEGIN ([A-Z0-9 ]+)-----[^]*?-----END \1-----/g;

/**
 * Whether every block of the text has its end. Readers of PEM pass over a last block without an end, and take a bundle
 * that is cut off for a shorter one.
 */
export function isWholePem(text: string): boolean {
  return !text.replace(wholeBlock, '').includes('-----');
}
