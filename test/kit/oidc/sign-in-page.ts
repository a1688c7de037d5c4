/** The input of a person on the sign-in pages of a provider. */
export interface Person {
  readonly login: string;
  /** The code that a device shows. */
  readonly userCode?: string;
}

const MOST_STEPS = 20;

/**
 * Signs in on the pages of a provider like a browser: it follows redirects, keeps cookies, and submits forms. Returns
 * the text of the last page.
 */
export const signInOnPages = async (address: string, { login, userCode = '' }: Person): Promise<string> => {
  const cookies = new Map<string, string>();
  let url = address;
  let form: URLSearchParams | undefined;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const response = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form !== undefined && { body: form }),
      redirect: 'manual',
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get('location');
    form = undefined;
    if (location !== null) {
      url = new URL(location, url).href;
      continue;
    }
    const filled = fillIn(text, { login, password: 'any', user_code: userCode });
    if (filled === undefined) return text;
    url = new URL(filled.action, url).href;
    form = filled.members;
  }
  throw new Error('the pages of the provider have no end');
};

/** Returns the form of a page with its own values and the given ones; undefined for a page without a form. */
const fillIn = (page: string, given: Readonly<Record<string, string>>) => {
  const [, attributes = '', inner = ''] = /<form([^>]*method="post"[^>]*)>([\s\S]*?)<\/form>/i.exec(page) ?? [];
  const action = /action="([^"]*)"/.exec(attributes)?.[1];
  if (action === undefined) return undefined;
  const members = new URLSearchParams();
  for (const [input] of inner.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    const value = /value="([^"]*)"/.exec(input)?.[1];
    if (name !== undefined) members.set(name, given[name] ?? value ?? '');
  }
  return { action, members };
};
