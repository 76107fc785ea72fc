/** Texts that the server writes into its pages, in German. */
import type { ServedWords } from './served-en.ts';

export const DE_SERVED: ServedWords = {
  loginPage: {
    pageTitle: 'Anmelden · Postern',
    title: 'Anmelden',
    lead: 'bei Ihren Kameras',
    user: 'Benutzer',
    password: 'Passwort',
    show: 'Anzeigen',
    submit: 'Anmelden',
    code: 'Code',
    codeHelp: 'Die sechs Ziffern Ihrer Authenticator-App oder ein Wiederherstellungscode.',
    passkey: 'Mit Passkey anmelden',
    startAgain: 'Neu beginnen',
    goingOn: 'Einen Moment …',
    goOn: 'Weiter',
    toConsole: 'Bei der Konsole anmelden: Benutzer, Rollen, Tokens, Status',
    firstTitle: 'Erste Anmeldung',
    firstWhere:
      'Der Benutzer heißt `admin`. Postern hat sein Passwort beim ersten Start erzeugt und am Ende des Protokolls in einem Kasten ausgegeben.',
    firstLost:
      'Passwort verloren? Setzen Sie `auth.reset_admin_password: true` in der Konfiguration und starten Sie neu; dann wird ein neues ausgegeben. Oder führen Sie `postern users password admin` aus.',
    unencrypted:
      'Diese Verbindung ist nicht verschlüsselt: Andere im Netzwerk können Ihr Passwort mitlesen. Verwenden Sie die Adresse mit `https://`.',
  },
  login: {
    submit: 'Anmelden',
    busyNow: 'Anmeldung läuft…',
    show: 'Anzeigen',
    hide: 'Verbergen',
    showPassword: 'Passwort anzeigen',
    hidePassword: 'Passwort verbergen',
    capsLock: 'Die Feststelltaste ist aktiviert',
    wrong: 'Benutzername oder Passwort ist falsch.',
    wrongCode: 'Der Code ist falsch oder wurde schon verwendet. Warten Sie auf den nächsten Code.',
    stepOver: 'Die Anmeldung hat zu lange gedauert. Beginnen Sie von vorn.',
    passkeyWrong: 'Dieser Passkey ist hier nicht bekannt oder wurde abgelehnt. Melden Sie sich auf andere Weise an.',
    passkeyCancelled:
      'Es wurde kein Passkey verwendet. Versuchen Sie es erneut oder melden Sie sich mit Ihrem Passwort an.',
    passkeyFailed:
      'Die Anmeldung mit dem Passkey ist fehlgeschlagen. Versuchen Sie es erneut oder melden Sie sich mit Ihrem Passwort an.',
    notBegun: 'Ihr Konto ist noch nicht aktiv.',
    ended: 'Ihr Konto ist abgelaufen. Bitten Sie einen Administrator, es zu verlängern.',
    roleMissing:
      'Ihr Konto hat hier keine Rolle: Ihr Anmeldedienst gibt ihm keine mehr. Wenden Sie sich an einen Administrator.',
    outsideHours: 'Ihre Rolle erlaubt zu dieser Zeit keinen Zugriff.',
    passwordOff:
      'Die Anmeldung mit Passwort ist hier abgeschaltet: Nutzen Sie die Schaltfläche Ihres Anmeldedienstes oder einen Passkey.',
    opens: 'Der Zugriff ist ab {time} möglich.',
    tooMany: 'Zu viele Fehlversuche von Ihrer Adresse.',
    busy: 'Der Server ist ausgelastet.',
    again: 'Erneut möglich in {time}',
    notReached: 'Der Server ist nicht erreichbar. Prüfen Sie die Netzwerkverbindung und versuchen Sie es erneut.',
    notUnderstood:
      'Der Server konnte die Anmeldedaten nicht verarbeiten. Laden Sie die Seite neu und versuchen Sie es erneut.',
    otherSite:
      'Die Anmeldung wurde abgelehnt, weil sie von einer anderen Website zu kommen schien. Laden Sie die Seite neu und versuchen Sie es erneut.',
    noPasswords:
      'Die Anmeldung mit Passwort ist ausgeschaltet. Melden Sie sich über den vorgeschalteten Proxy an: Öffnen Sie dessen Adresse.',
    notKept:
      'Die Anmeldung war erfolgreich, aber der Browser hat das Cookie nicht gespeichert. Erlauben Sie Cookies für diese Adresse oder verwenden Sie die Adresse, die mit https:// beginnt.',
    fillIn: 'Geben Sie Benutzername und Passwort ein.',
    fault:
      'Fehler auf dem Server. Versuchen Sie es erneut; tritt der Fehler wieder auf, sehen Sie im Protokoll des Servers nach.',
    otherStatus: 'Die Anmeldung ist fehlgeschlagen (Status {status}). Versuchen Sie es erneut.',
  },
  invitationPage: {
    title: 'Passwort festlegen',
    lead: 'für Ihre Kameras',
    invitedBy: '{name} lädt Sie ein.',
    sees: 'Sie werden sehen: {cameras}.',
    allCameras: 'alle Kameras',
    validUntil: 'Ihr Konto gilt bis {time}.',
    user: 'Benutzer',
    password: 'Neues Passwort',
    again: 'Neues Passwort wiederholen',
    rules: 'Mindestens {count} Zeichen. Häufige Passwörter und Ihr Name werden abgelehnt.',
    submit: 'Passwort festlegen',
    unfit: 'Dieses Passwort wird abgelehnt.',
    differ: 'Die Passwörter stimmen nicht überein. Geben Sie beide erneut ein.',
    busy: 'Der Server ist ausgelastet. Versuchen Sie es in einigen Sekunden erneut.',
    limited: 'Von Ihrer Adresse wurden zu viele ungültige Links geöffnet. Versuchen Sie es in {time} erneut.',
    passkey: 'Stattdessen einen Passkey verwenden',
    passkeyHelp: 'Ihr Telefon, Computer oder Sicherheitsschlüssel meldet Sie an: Sie müssen sich kein Passwort merken.',
    donePasskey:
      'Fertig. Melden Sie sich mit Ihrem Passkey an: Ein Passwort brauchen Sie nicht mehr. Andere Sitzungen Ihres Kontos wurden beendet.',
    doneTitlePasskey: 'Passkey eingerichtet',
    doneTitle: 'Passwort festgelegt',
    done: 'Fertig. Melden Sie sich mit Ihrem neuen Passwort an. Andere Sitzungen Ihres Kontos wurden beendet.',
    voidTitle: 'Link ungültig',
    void: 'Dieser Link wurde schon benutzt, ist abgelaufen, wurde durch einen neueren ersetzt oder hat nie existiert. Bitten Sie Ihren Administrator um einen neuen.',
    toLogin: 'Anmelden',
  },
  linkPage: {
    preview: 'Ein Link zu einer Kamera. Öffnen Sie ihn, um zu sehen, was geteilt wurde.',
    until: 'Dieser Link gilt bis {time}.',
    picture: 'Bild der Kamera {camera}',
    live: 'Livebild der Kamera {camera}',
    gone: 'Diese Aufnahme gibt es nicht mehr. Aufnahmen werden nur für begrenzte Zeit aufbewahrt.',
    noVideo: 'Dieser Browser kann den Clip nicht abspielen.',
    download: 'Clip herunterladen',
    again: 'Neues Bild zeigen',
    pinTitle: 'PIN erforderlich',
    pinLead: 'Wer Ihnen diesen Link geschickt hat, hat Ihnen auch eine PIN gegeben.',
    pin: 'PIN',
    submit: 'Öffnen',
    wrong: 'Die PIN ist falsch. Versuchen Sie es erneut.',
    limited: 'Zu viele Versuche. Versuchen Sie es in {time} erneut.',
    overTitle: 'Link ungültig',
    over: 'Dieser Link ist abgelaufen, verbraucht oder widerrufen, oder es hat ihn nie gegeben. Bitten Sie die Person, die ihn geschickt hat, um einen neuen.',
    busyTitle: 'Nicht erreichbar',
    busy: 'Die Kamera ist gerade nicht erreichbar. Versuchen Sie es gleich erneut.',
  },
  consolePage: {
    noScript: 'Die Konsole benötigt JavaScript. Erlauben Sie es für diese Adresse.',
  },
};
