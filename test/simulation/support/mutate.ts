/** Loads the code with a defect. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { repositoryRoot } from '../../support/paths.ts';
import { mutations, type Edit } from './mutations.ts';

const source = pathToFileURL(join(repositoryRoot, 'src/'));

/**
 * From now on the module of the mutation is loaded with its defect.
 * @throws Error if there is no such mutation, or its text is not there exactly once
 */
export function mutate(name: string): void {
  const { file, text } = mutated(name);
  const { href } = new URL(file, source);
  registerHooks({
    load: (url, context, next) =>
      url === href ? { format: 'module-typescript', source: text, shortCircuit: true } : next(url, context),
  });
}

/**
 * The text of the module with its defect.
 * @throws Error if there is no such mutation, or a text that it changes is not there exactly once
 */
export function mutated(name: string): { readonly file: string; readonly text: string } {
  const mutation = mutations[name];
  if (mutation === undefined) throw new Error(`no mutation ${name}`);
  const { file, and } = mutation;
  const edits = and ? [mutation, and] : [mutation];
  const original = readFileSync(fileURLToPath(new URL(file, source)), 'utf8');
  return { file, text: edits.reduce((text, edit) => edited(file, text, edit), original) };
}

function edited(file: string, text: string, { find, replace }: Edit): string {
  const parts = text.split(find);
  if (parts.length !== 2) throw new Error(`${file} has ${String(parts.length - 1)} times: ${find}`);
  return parts.join(replace);
}
