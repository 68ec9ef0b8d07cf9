/** Diagnoses why the service's own etcd has exited or does not respond, from its log and the disk. */
import { open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../base/errors.ts';

/** Bytes of the log that are read. */
const longestTail = 64 * 1024;
const mebibyte = 1024 * 1024;
/** etcd keeps a WAL file and preallocates the next one, of 64 MB each. */
const neededBytes = 128 * mebibyte;

/** The last error of etcd after the first `from` bytes of its log, whether the disk is full or the limit of open files too low. */
export async function etcdProblem(log: string, from: number): Promise<string> {
  const [disk, complaint] = await Promise.all([diskProblem(dirname(log)), lastComplaint(log, from)]);
  return [disk, limitProblem(complaint), complaint].filter((part) => part !== '').join('; ');
}

/** etcd refuses to start with a limit of open files below 150. */
function limitProblem(complaint: string): string {
  if (!complaint.includes('file descriptor limit')) return '';
  return 'too few files may be open: raise the limit (ulimit -n) to 1024 or more';
}

async function diskProblem(folder: string): Promise<string> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= neededBytes) return '';
  const megabytes = String(Math.floor(free / mebibyte));
  return `the disk of ${folder} has only ${megabytes} MB left: make room, 128 MB or more`;
}

async function lastComplaint(log: string, from: number): Promise<string> {
  const complaints = (await tailOf(log, from))
    .split('\n')
    .filter((line) => /"level":"(fatal|error|panic)"|^panic|cannot|error/i.test(line));
  return (complaints.at(-1) ?? 'it logged no error').slice(0, 400);
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
