/** Property names as expressions spell them: `a-b` is `a__dash__b`, `namespace` is `__namespace__`. */

const keywords: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return ' +
    'var void while'
  ).split(' '),
);

const replacements: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** The identifier of a property; undefined when no expression can name it. */
export function escapeName(name: string): string | undefined {
  if (keywords.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[-./]/g, (part) => replacements[part] ?? part);
}
