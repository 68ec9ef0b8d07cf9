/** The declarations of a folder's `.proto` files: out of one file that the build makes, or parsed where there is none. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messagesSince, readProtoFile, releaseOf, type MessageDeclaration } from './proto-file.ts';
import type { SchemaRelease } from './schema-release.ts';

/** What one `.proto` file declares, for all releases. */
interface DeclaredFile {
  /** The first release that has it; '' for all. */
  readonly since: string;
  readonly messages: readonly MessageDeclaration[];
}

const nameOfFile = 'declarations.json';

/** The `.proto` files of a catalogue folder's groups, sorted. */
export function protoFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((group) => readdirSync(join(folder, group.name)).map((file) => join(folder, group.name, file)))
    .filter((path) => path.endsWith('.proto'))
    .sort();
}

/** Every message of the files that the release has. @throws Error that names the file when it cannot be read or parsed */
export function readDeclarations(folder: string, release: SchemaRelease): MessageDeclaration[] {
  const path = join(folder, nameOfFile);
  if (!existsSync(path)) return protoFiles(folder).flatMap((file) => readProtoFile(file, release));
  const files = JSON.parse(readFileSync(path, 'utf8')) as readonly DeclaredFile[];
  return files
    .filter(({ since }) => release.hasReached(since))
    .flatMap(({ messages }) => messagesSince(messages, release));
}

/** Parses the files for all releases and keeps what they declare: reading that takes a tenth of the time of parsing. */
export function writeDeclarations(folder: string): void {
  const files = protoFiles(folder).map((path): DeclaredFile => ({
    since: releaseOf(path),
    messages: readProtoFile(path),
  }));
  writeFileSync(join(folder, nameOfFile), JSON.stringify(files));
}
