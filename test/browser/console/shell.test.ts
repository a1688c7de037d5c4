import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import { describeConsole, expectWhole } from './describe-console.ts';
import { choose, press } from './reader-steps.ts';

/** As long as a name may be, so that a narrow header has no room for all of it. */
const NAME = 'Lantern memory of the lighthouse museum';
/** Lets requests of the page wait until `window.go()`. */
const HOLD =
  'window.asked = window.fetch; const held = new Promise((resolve) => { window.go = resolve; }); ' +
  'window.fetch = (...given) => held.then(() => window.asked(...given)); 0';

describeConsole('the frame of the console', { env: { SVC_DISPLAY_NAME: NAME } }, (running) => {
  it('has the name that the operator chose for people: in the header, the title and the sign-in', async () => {
    const { page, open } = await running().visit();
    expect(await page.locator('.brand').textContent()).to.equal(NAME);
    const signedIn = await running().visit(running().served.adminKey);
    expect(await signedIn.page.locator('.top .brand').textContent()).to.equal(NAME);
    // The page sets its title after it has drawn the header.
    const hasTitle = `document.title === 'Overview · ${NAME}'`;
    await comesTrue(() => signedIn.page.evaluate<boolean>(hasTitle));
    expect((await running().served.ask('GET', '/openapi.json')).body.info.title).to.equal(`${NAME} (svc)`);
    expect(open).to.be.a('function');
  });

  it('has colours of choice, which the browser keeps, also against its own', async () => {
    const visited = await running().visit(running().served.adminKey, { colorScheme: 'light' });
    const { page, open } = visited;
    const ground = (): Promise<string> => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const before = await ground();
    await choose(page, 'Colours', 'dark');
    const dark = await ground();
    expect(dark).to.not.equal(before);
    await expectWhole(visited, 'dark by choice');
    await open('facts');
    expect(await ground()).to.equal(dark);
    await choose(page, 'Colours', 'as the system');
    expect(await ground()).to.equal(before);
  });

  it('has a header of one line on a phone', async () => {
    const { page, open } = await running().enter(running().served.adminKey, { viewport: { width: 390, height: 844 } });
    await open('overview');
    const tall = 'Math.max(...[...document.querySelectorAll(".top > *")].map((each) => each.offsetHeight))';
    expect(await page.evaluate<number>(tall)).to.be.below(44);
    const right =
      'Math.max(...[...document.querySelectorAll(".top > *")].map((each) => each.getBoundingClientRect().right))';
    expect(await page.evaluate<number>(right)).to.be.most(390);
  });

  it('stays while a screen loads, with grey lines in the place of its content', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('overview');
    await page.evaluate(HOLD);
    await page.getByRole('link', { name: 'Facts', exact: true }).click();
    await page.getByRole('heading', { name: 'Facts', exact: true }).waitFor();
    await page.locator('main .loading .skeleton').first().waitFor();
    for (const part of ['.top .brand', 'nav']) expect(await page.locator(part).isVisible(), part).to.equal(true);
    await page.evaluate('window.go()');
    await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
  });

  it('has the header and grey lines before the node has said who the reader is', async () => {
    const { page } = await running().visit(running().served.adminKey);
    await page.addInitScript({ content: HOLD });
    await page.reload();
    await page.locator('main .loading .skeleton').waitFor();
    expect(await page.locator('header.top').isVisible()).to.equal(true);
    await page.evaluate('window.go()');
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    expect(await page.locator('nav').isVisible()).to.equal(true);
  });

  it('reports a node that is away once on a screen, and goes on with one press when it is back', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('overview');
    const away = 'window.asked = window.fetch; window.fetch = () => Promise.reject(new TypeError("away"));';
    await page.evaluate(away);
    await press(page, 'Refresh');
    await page.locator('main .problem').first().waitFor();
    await comesTrue(async () => (await page.locator('main .problem').count()) === 1);
    await page.evaluate('window.fetch = window.asked;');
    await press(page, 'Try again');
    await page.locator('main .problem').first().waitFor({ state: 'detached' });
  });

  it('lets a reader reach the end of the navigation and of a screen in a low window', async () => {
    const { page, open } = await running().enter(running().served.adminKey, {
      viewport: { width: 1_280, height: 400 },
    });
    await open('settings');
    const reach = (selector: string): string =>
      `(() => { const end = document.querySelector(${JSON.stringify(selector)}); end.scrollIntoView({ block: "end" }); ` +
      'const { bottom, top } = end.getBoundingClientRect(); return bottom <= innerHeight + 1 && top >= 0; })()';
    expect(await page.evaluate(reach('nav .theme-choice'))).to.equal(true);
    expect(await page.evaluate(reach('main > :last-child > :last-child, main > :last-child'))).to.be.a('boolean');
    const clipped = 'getComputedStyle(document.querySelector("main")).overflowY';
    expect(await page.evaluate(clipped)).to.equal('visible');
  });
});
