/** The files below src/ or test/, for checks that read them all. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { SourceText } from './import-check.ts';

/** Files of src/ with one of the endings, paths relative to src. */
export function sourceFiles(endings: readonly string[]): SourceText[] {
  return filesBelow('src', endings);
}

/** Files of a folder of the repository with one of the endings, paths relative to the folder. */
export function filesBelow(folder: 'src' | 'test', endings: readonly string[]): SourceText[] {
  const root = join(import.meta.dirname, '..', '..', folder);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(root, path).split(sep).join('/'), text: readFileSync(path, 'utf8') }));
}
