import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { projectRoot } from '../../architecture/source-files.ts';
import type { ConsoleBrowser, ConsolePage } from './console-browser.ts';
import { describeConsole, expectWhole, isWiderThanWindow, LOOKS } from './describe-console.ts';
import { MANY, storeHostileFacts, storeManyFacts } from './hostile-memory.ts';
import { fillForPictures, PICTURE_SETTINGS } from './picture-memory.ts';

/** Returns the names of the screens in the navigation. */
const offeredTo = ({ page }: ConsolePage): Promise<readonly string[]> =>
  page.evaluate<string[]>(
    '[...document.querySelectorAll("nav a")].map(({ pathname }) => pathname.slice("/console/".length))',
  );

interface ScreenFaults {
  readonly problems: number;
  /** Whether the page has run a hostile text. */
  readonly wasRun: boolean;
  readonly isTooWide: boolean;
  readonly findings: readonly string[];
}

/** Opens every screen. Returns the faults of each by its name. */
const walk = async (visit: ConsolePage): Promise<ReadonlyMap<string, ScreenFaults>> => {
  const { page } = visit;
  const faults = new Map<string, ScreenFaults>();
  for (const screen of await offeredTo(visit)) {
    await visit.open(screen);
    const isTooWide = await isWiderThanWindow(visit);
    const findings = await visit.seriousFindings();
    const problems = await page.locator('main .problem').count();
    const wasRun = await page.evaluate<boolean>('window.wasRun !== undefined');
    faults.set(screen, { problems, wasRun, isTooWide, findings });
  }
  return faults;
};

const APP = join(projectRoot(), 'plugins/console/app');
/** The texts of the console, with the name of each screen of its router. */
const ENGLISH = JSON.parse(readFileSync(join(APP, 'texts/en.json'), 'utf8')) as { readonly screens: object };

describeConsole(
  'every screen of the console',
  { env: { SVC_TOMBSTONES_ENABLED: 'true', SVC_MULTI_TENANT_ENABLED: 'true' }, timeoutMs: 600_000 },
  (running) => {
    before(async () => {
      await storeManyFacts(running().served);
      await storeHostileFacts(running().served);
    });

    it('is in the navigation of an administrator, whose links these tests follow', async () => {
      const named = Object.keys(ENGLISH.screens);
      expect(await offeredTo(await running().visit(running().served.adminKey))).to.have.members(named);
    });

    /** The faults of each screen in the first look. Both tests of that look read them, because a walk is dear. */
    let firstWalk: Promise<ReadonlyMap<string, ScreenFaults>> | undefined;

    it(`opens with ${MANY} facts and hostile texts, without an error or a serious accessibility finding`, async () => {
      firstWalk = walk(await running().visit(running().served.adminKey, LOOKS[0]));
      const faults = await firstWalk;
      expect(faults.size).to.be.above(15);
      for (const [screen, { problems, wasRun, findings }] of faults) {
        expect(problems, `${screen} has no problem`).to.equal(0);
        expect(wasRun, screen).to.equal(false);
        expect(findings, screen).to.deep.equal([]);
      }
    });

    for (const look of LOOKS) {
      const { viewport, colorScheme } = look;
      it(`fits ${viewport.width} x ${viewport.height} in ${colorScheme} colours, without a serious finding`, async () => {
        const isFirst = look === LOOKS[0] && firstWalk !== undefined;
        const faults = await (isFirst ? firstWalk : walk(await running().visit(running().served.adminKey, look)));
        expect(faults?.size).to.be.above(15);
        for (const [screen, { isTooWide, findings }] of faults ?? []) {
          expect(isTooWide, `${screen} is too wide`).to.equal(false);
          expect(findings, screen).to.deep.equal([]);
        }
      });
    }

    it('is in English only: times and numbers match the text in every browser language', async () => {
      const { page, open } = await running().visit(running().served.adminKey, { locale: 'de-DE' });
      expect(await page.evaluate('[navigator.language, document.documentElement.lang]')).to.deep.equal(['de-DE', 'en']);
      await open('facts');
      await page.getByText(new RegExp(`^${MANY / 1_000},0\\d\\d facts$`)).waitFor();
      await page
        .locator('.row time')
        .getByText(/ ago$|^now$/)
        .first()
        .waitFor();
    });
  },
);

let addresses: Readonly<Record<string, string>> = {};
const fill = async ({ served }: ConsoleBrowser): Promise<void> => {
  addresses = await fillForPictures(served);
};

describeConsole('one item on each screen', { env: PICTURE_SETTINGS, timeoutMs: 600_000, fill }, (running) => {
  it('has an address here for each view of one item that the console has', () => {
    const views = readdirSync(join(APP, 'screens'), { recursive: true, encoding: 'utf8' })
      .map((path) => basename(path, '.tsx'))
      .filter((name) => /^one-[a-z]+$/.test(name));
    expect(views).to.have.length.above(6);
    expect(addresses).to.include.keys(views);
  });

  for (const look of LOOKS) {
    const { viewport, colorScheme } = look;
    it(`fits ${viewport.width} x ${viewport.height} in ${colorScheme} colours, without a serious finding`, async () => {
      const visited = await running().enter(running().served.adminKey, look);
      for (const [name, address] of Object.entries(addresses)) {
        await visited.open(address);
        await expectWhole(visited, name);
        expect(await visited.page.locator('main .problem').count(), `${name} has no problem`).to.equal(0);
      }
    });
  }
});
