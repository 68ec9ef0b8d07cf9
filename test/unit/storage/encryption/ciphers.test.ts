/** The ciphers read what kube-apiserver 1.21 wrote, keep to published vectors, and refuse what was changed. */
import { AesCbc, AesGcm } from '../../../../src/storage/encryption/ciphers.ts';
import type { Provider } from '../../../../src/storage/encryption/provider.ts';
import { Secretbox } from '../../../../src/storage/encryption/secretbox.ts';

const key = Buffer.from('0123456789abcdef0123456789abcdef');
const context = Buffer.from('/registry/core/secrets/default/a');
const plain = Buffer.from('{"kind":"Secret"}');

/** What its transformers made of the text above with the key and the context above. */
const cases: [string, Pick<Provider, 'encrypt' | 'decrypt'>, string][] = [
  ['aesgcm', new AesGcm(key), 'Cut8s5A6vyf2QM4ogVngr1L44e57Nfpho/8M842gIzOCPxnz1i7YkLb3ejG2'],
  ['aescbc', new AesCbc(key), 'tuoe5G7JxzsAUOYJYtQDR1dqfNThcyO1ZrH12p+v80iPg2hzMHGgGU680ERQovWh'],
  [
    'secretbox',
    new Secretbox(key),
    'iaa5D5Vn/DG5tlURHuyYdM80wH+9o4i6f+h6NWQjR3SI3C0AVZRtpjyIt0hjJq+oV12W71W0P6rG',
  ],
];

describe.each(cases)('%s', (_name, cipher, ofReference) => {
  test('reads what kube-apiserver wrote', () => {
    expect(cipher.decrypt(Buffer.from(ofReference, 'base64'), context)).toEqual(plain);
  });

  test('reads what it wrote, and never writes the same twice', async () => {
    const texts = ['', 'x'.repeat(15), 'x'.repeat(16), 'x'.repeat(70_000)].map((text) => Buffer.from(text));
    for (const text of texts) {
      const sealed = await cipher.encrypt(text, context);
      expect((await cipher.decrypt(sealed, context)).equals(text)).toBe(true);
      expect((await cipher.encrypt(text, context)).equals(sealed)).toBe(false);
      if (text.length > 0) expect(sealed.includes(text)).toBe(false);
    }
  });

  test('refuses what is too short', () => {
    const sealed = cipher.encrypt(plain, context) as Buffer;
    for (const length of [0, 1, 11, 16, 20]) {
      expect(() => cipher.decrypt(sealed.subarray(0, length), context)).toThrow();
    }
  });
});

const authenticating = cases.filter(([name]) => name !== 'aescbc');

test.each(authenticating)('%s refuses any changed byte', (_name, cipher) => {
  const sealed = cipher.encrypt(plain, context) as Buffer;
  for (let i = 0; i < sealed.length; i += 1) {
    const changed = Buffer.from(sealed);
    changed[i] = (changed[i] ?? 0) ^ 1;
    expect(() => cipher.decrypt(changed, context)).toThrow();
  }
});

test('aesgcm refuses the value of another key in etcd', () => {
  const sealed = new AesGcm(key).encrypt(plain, context);
  expect(() => new AesGcm(key).decrypt(sealed, Buffer.from('/registry/core/secrets/default/b'))).toThrow();
});

test('aescbc refuses what is no whole number of blocks', () => {
  const sealed = new AesCbc(key).encrypt(plain);
  expect(() => new AesCbc(key).decrypt(sealed.subarray(0, -1))).toThrow('multiple of the block size');
});

test.each([16, 24, 32])('AES with keys of %d bytes', (length) => {
  const short = key.subarray(0, length);
  expect(new AesGcm(short).decrypt(new AesGcm(short).encrypt(plain, context), context)).toEqual(plain);
  expect(new AesCbc(short).decrypt(new AesCbc(short).encrypt(plain))).toEqual(plain);
});

test('aesgcm keeps to test case 16 of the specification of GCM (McGrew and Viega)', () => {
  const hex = (text: string): Buffer => Buffer.from(text, 'hex');
  const cipher = new AesGcm(hex('feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308'));
  const sealed = hex(
    'cafebabefacedbaddecaf888' +
      '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa' +
      '8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662' +
      '76fc6ece0f4e1768cddf8853bb2d551b',
  );
  expect(cipher.decrypt(sealed, hex('feedfacedeadbeeffeedfacedeadbeefabaddad2')).toString('hex')).toBe(
    'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72' +
      '1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
  );
});

test('secretbox keeps to the test vector of NaCl (tests/secretbox.c)', () => {
  const hex = (text: string): Buffer => Buffer.from(text, 'hex');
  const cipher = new Secretbox(hex('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389'));
  const nonce = '69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37';
  const sealed =
    'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a' +
    'c0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae' +
    '90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5';
  expect((cipher.decrypt(hex(nonce + sealed)) as Buffer).toString('hex')).toBe(
    'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c6129' +
      '6cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde' +
      '048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705',
  );
});
