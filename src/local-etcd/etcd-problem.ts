/** Diagnoses why the service's own etcd has exited or does not respond, from its log and the disk. */
import { open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../base/errors.ts';

/** Bytes of the log that are read. */
const longestTail = 64 * 1024;
const mebibyte = 1024 * 1024;
/** etcd keeps a WAL file and preallocates the next one, of 64 MB each. */
const neededBytes = 128 * mebibyte;

/** The last error of etcd after the first `from` bytes of its log, and whether the disk is full or a limit too low. */
export async function etcdProblem(log: string, from: number): Promise<string> {
  const [disk, complaints] = await Promise.all([diskProblem(dirname(log)), complaintsIn(log, from)]);
  const last = (complaints.at(-1) ?? 'it logged no error').slice(0, 400);
  return [disk, ...limitProblems(complaints), last].filter((part) => part !== '').join('; ');
}

/**
 * By words of etcd: it refuses to start with a limit of open files below 150, maps its database into memory, and makes
 * files of 64 MB.
 */
const limits = {
  'file descriptor limit': 'too few files may be open: raise the limit (ulimit -n) to 1024 or more',
  'cannot allocate memory':
    'it gets too little memory: raise the limit (ulimit -v, or that of the container)',
  'file too large': 'its files may not be as large as it needs: raise the limit (ulimit -f)',
};

function limitProblems(complaints: readonly string[]): string[] {
  const isSaid = ([words]: readonly [string, string]): boolean =>
    complaints.some((line) => line.includes(words));
  return Object.entries(limits)
    .filter(isSaid)
    .map(([, problem]) => problem);
}

async function diskProblem(folder: string): Promise<string> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= neededBytes) return '';
  const megabytes = String(Math.floor(free / mebibyte));
  return `the disk of ${folder} has only ${megabytes} MB left: make room, 128 MB or more`;
}

async function complaintsIn(log: string, from: number): Promise<string[]> {
  const lines = (await tailOf(log, from)).split('\n');
  return lines.filter((line) => /"level":"(fatal|error|panic)"|^panic|cannot|error/i.test(line));
}

async function tailOf(log: string, from: number): Promise<string> {
  try {
    await using file = await open(log);
    const { size } = await file.stat();
    const start = Math.max(from, size - longestTail);
    const bytes = Buffer.alloc(Math.max(0, size - start));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    return bytes.toString('utf8', 0, bytesRead);
  } catch (error) {
    return `error: its log cannot be read (${messageOf(error)})`;
  }
}
