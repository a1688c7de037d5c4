import { expect } from 'chai';
import { isBrowserInstalled } from '../../kit/browser.ts';
import { type ConsoleBrowser, type ConsolePage, startConsoleBrowser } from './console-browser.ts';
import { expectWhole, LOOKS } from './describe-console.ts';
import { MANY, storeHostileFacts, storeManyFacts } from './hostile-memory.ts';

/** Returns the names of the screens in the navigation. */
const offeredTo = ({ page }: ConsolePage): Promise<readonly string[]> =>
  page.evaluate<string[]>(
    '[...document.querySelectorAll("nav a")].map(({ pathname }) => pathname.slice("/console/".length))',
  );

if (isBrowserInstalled()) {
  describe('every screen of the console', function () {
    this.timeout(600_000);
    let console: ConsoleBrowser;
    before(async () => {
      console = await startConsoleBrowser({ SVC_TOMBSTONES_ENABLED: 'true', SVC_MULTI_TENANT_ENABLED: 'true' });
      await storeManyFacts(console.served);
      await storeHostileFacts(console.served);
    });
    afterEach(async () => {
      expect(await console.leave()).to.deep.equal([]);
    });
    after(() => console?.stop());

    it(`opens with ${MANY} facts and hostile texts, without an error or a serious accessibility finding`, async () => {
      const visit = await console.visit(console.served.adminKey);
      const screens = await offeredTo(visit);
      expect(screens).to.have.length.above(15);
      const findings: Record<string, readonly string[]> = {};
      for (const screen of screens) {
        await visit.open(screen);
        const serious = await visit.seriousFindings();
        if (serious.length > 0) findings[screen] = serious;
        expect(await visit.page.locator('main .problem').count(), `${screen} has no problem`).to.equal(0);
        expect(await visit.page.evaluate('window.wasRun'), screen).to.equal(undefined);
      }
      expect(findings).to.deep.equal({});
    });

    for (const look of LOOKS) {
      const { viewport, colorScheme } = look;
      it(`fits ${viewport.width} x ${viewport.height} in ${colorScheme} colours, without a serious finding`, async () => {
        const visit = await console.visit(console.served.adminKey, look);
        for (const screen of await offeredTo(visit)) {
          await visit.open(screen);
          await expectWhole(visit, screen);
        }
      });
    }

    it('is in English only: times and numbers match the text in every browser language', async () => {
      const { page, open } = await console.visit(console.served.adminKey, { locale: 'de-DE' });
      expect(await page.evaluate('[navigator.language, document.documentElement.lang]')).to.deep.equal(['de-DE', 'en']);
      await open('facts');
      await page.getByText(new RegExp(`^${MANY / 1_000},0\\d\\d facts$`)).waitFor();
      await page
        .locator('.row time')
        .getByText(/ ago$|^now$/)
        .first()
        .waitFor();
    });
  });
}
