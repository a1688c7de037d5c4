import type { LatinLanguage } from './latin-stemmers.ts';

/**
 * Words that identify a language and carry no meaning for a search, folded, of at most six letters. A word may occur in
 * several lists.
 */
export const FUNCTION_WORDS: Readonly<Record<LatinLanguage | 'english', string>> = {
  english: `a about after again all also am an and any are as at be been being both but by can come could did do
does down each few for from get give go good got had has have he her here his how i if in into is it its
just keep know let like look make me more much my no not now of off on one only or other our out over
own same say see she so some such take tell than that the their them then there these they think this
time to too until up us very want was we well went were what when where which while who why will with
would yes you your`,
  german: `aber alle als am an auch auf aus bei beim bin bis da das dass dem den der des die dir doch du durch ein
eine einem einen einer er es euch fur hat hatte hinter ich ihm ihn ihr ihre im in ist ja jede jeden kann
kein keine man mein meine mich mir mit nach nicht noch nur ob oder ohne sehr sein seine seit sich sie
sind so uber um und uns unser unter vom von vor wann war waren warum was wegen welche wenn wer werden
wie wir wird wo wurde zu zum zur`,
  dutch: `aan al als bij dat de den deze die dit door dus een en er geen haar had heb hebben heeft het hij hoe hun
ik in is je jij kan maar me meer men met mijn moet na naar niet nog nu of om omdat onder ons ook op over
te tot uit uw van veel voor waar wanner want waren was wat we welke wie wij wil worden wordt ze zich zij
zijn zo zou`,
  french: `a ai apres au aussi aux avant avec avoir ce cela ces cet cette chez comme dans de des deux donc dont du
elle elles en est et etait etre eux fait il ils je la le les leur leurs lui ma mais me meme mes moi mon
ne nos notre nous on ont ou par pas plus pour quand que quel quelle qui sa sans se ses si son sont sous
sur ta te tes toi ton tous tout toute tres tu un une vers vos votre vous y`,
  spanish: `a al algo aqui cada como con cual cuando de del desde donde dos e el ella ellos en era es esa ese eso
esta estan estas este esto fue ha han hasta hay la las le les lo los mas me mi mis mucho muy nada ni no
nos o otra otro para pero poco por porque que quien se ser si sin sobre son su sus tan te tiene todo
todos tu tus un una uno unos y ya yo`,
  portuguese: `a ao aos aqui as ate cada com como da das de dela dele depois do dois dos e ela ele eles em entre era
essa esse esta estao este eu foi ha isso ja lhe mais mas me mesmo meu meus minha muito na nao nas nem no
nos o onde os ou para pela pelo perto por porque qual quando que quem se sem ser seu seus so sua suas
tambem te tem tudo um uma umas uns voce`,
  italian: `a ad ai al alla alle anche che chi ci come con cosa cui da dal dalla degli dei del della delle dello di
dopo dove e ed era fa gli ha hai hanno ho i il in io l la le lei li lo loro lui ma mentre mi mia mio
molto ne nei nel nella noi non o ogni per perche piu poi qual quando quella quello questa questo qui sei
senza si sia siamo sono sopra sotto su sua sul sulla suo tra tu tutti tutto un una uno vi`,
  romanian: `a acest aceste ai al ale am are as au avea ca care ce cel cu cum da daca de decat deci din dintre doar
dupa e ea ei el ele era este eu fara fi fie foarte fost iar il in intre isi la le lor lui mai mea meu
mult nici nu o or pe pentru prin sa sau se si sub sunt toate tot un una unde unei unor unui va voi`,
  nordic: `af alla alle alt an att av ble blev bli da dag de deg dem den denna denne deras deres det dette dig din
dr du efter eg ej eller en er et ett etter fa for fra fran ha hadde hade han hans har havde her hon
honom hun hur hva hvad hvem hvis hvor i igen ikke ikki ingen inte jag jeg kan man med meg mellan mellem
men mer mig min mitt mot mycket naar nagon nar nu och og om opp os oss over pa paa sa seg ser sig sin
sitt ska skal slik som til till under upp ut utan uten vad var vara varit ved vi vid vil vill vore`,
  finnish: `ehka ei eivat en enaa ennen eraan etta ette han hanen he heidan hyvin ilman ja jo joka joko jos jotka
kai kaikki kanssa koska kuin kuka kun me mika miksi milla mina minka minun missa mista mita mutta myos
ne niin nyt ole olen oli olla on ovat paljon se sen siella siina siita sina sinun sita taalla tai tama
taman tassa te tuo vaan vai vain vasta vuonna`,
  hungarian: `a aki akkor alatt amely ami az azt be csak de egy egyik el ellen en es ez ezek ezt fel ha hanem hogy hol
honnan igen is itt kell ki kik le lesz lett maga majd meg mert mi miert mig mikor milyen minden mint mit
nagyon ne nekem neki nem nincs o ok oket olyan ott pedig sem soha sok ti tobb utan vagy van vannak volt
voltak`,
  polish: `aby albo ale ani bardzo bez bo by byc byl byla bylem bylo byly chyba ci co czy dla do dwa gdy gdzie go i
ich ile im inne ja jak jako jeden jego jej jest juz kiedy kolo kto ktora ktore ktory ku lub ma maja mam
mi mial mnie moj moja moze mu my na nad nasz nie nigdy nim niz o obok od on ona one oni oraz po pod
przed przez przy raz sa sie skad sobie swoj ta tak tam te tego tej ten teraz to trzy tu twoj ty tylko
tym u w we wedlug wiec z za zawsze ze`,
  czech: `a aby ale ani ano asi az bez bude budou by byl byla byli bylo byt ci co coz do ho i ja jak jake jako je
jeho jej jeji jen jenz jeste ji jiz jsem jsi jsme jsou k kam kde kdo kdy kdyz ke ktera ktere ktery ma
mate me mezi mi mit mu muj muze my na nad nam nebo nejsou neni nez nic o od on ona oni ono po pod podle
pokud pouze prave pred pres pri pro proc proto s se si sve svuj ta tak take tam tato tedy ten tento teto
tim to tohle toho tom tu tuto tvuj ty u uz v ve vsak z za ze`,
  turkish: `acaba ama ancak artik aslen az bana bazi belki ben beni benim bile bir biri birkac biz bize bizim bu
buna bunda bunu bunun burada cok cunku da daha de degil diye en fakat gibi gore hangi hem hep hepsi her
hic icin icinde ile ise iste kadar ki kim kime mi mu nasil ne neden nerede nereye nicin o olan olarak
oldu oldugu olur ona onda onlar onu onun orada oyle sana sen seni senin siz sonra su tum uzere var vardi
ve veya ya yani yok zaman`,
};

/** Letters that identify languages. */
export const TELLING_LETTERS: Readonly<Record<LatinLanguage, string>> = {
  german: 'äöüß',
  dutch: 'ĳ',
  french: 'àâçèéêëîïôùûœ',
  spanish: 'áéíñóú¿¡',
  portuguese: 'áâãçéêíóôõú',
  italian: 'àèìòù',
  romanian: 'ăâîșțşţ',
  nordic: 'åäöæøð',
  finnish: 'äö',
  hungarian: 'áéíóöőúüű',
  polish: 'ąćęłńóśźż',
  czech: 'áčďéěíňóřšťúůýž',
  turkish: 'çğıöşü',
};
