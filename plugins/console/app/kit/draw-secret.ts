const KEY_BYTES = 32;

/** A random key of 256 bits, in base64url. */
export const drawKey = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(KEY_BYTES))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
