import PhotoLibrary
import Platform
import Testing

@Suite struct NameClassTests {
    @Test(arguments: [
        "IMG_0001.JPG", "a.heic", "movie.mov", "noextension", ".hidden.jpg", "a.jpg.backup", "part", "tmp.jpg",
        ".a.jpg.12345", ".a.jpg.1234567", ".a.jpg.12-456", "syncthing.jpg", "partial", "json", "wav.jpg", "写真.jpg",
        "a~b.jpg", "~a.jpg", "x.parts", "Thumbs.db.jpg", "_.jpg", "notes.txt", "DS_Store", "abcdef.Ab12Cd",
        "sed", "sediment.jpg", "sedAb12C-", "sedAb12Cde", "a.jpg_original",
    ])
    func ordinary(name: String) throws { #expect(try NameClass(of: FileName(name)) == .ordinary) }

    @Test(arguments: [
        ".IMG_0001.JPG.Ab12Cd", ".a.000000", ".goutputstream-ABC123", "a.jpg.part", "a.PART", "x.tmp",
        "a.jpg.crdownload",
        "a.jpg_exiftool_tmp", ".syncthing.a.jpg.tmp", "a.jpg~", "a.jpg.filepart", ".a.jpg.swp", ".写真.jpg.Ab12Cd",
        "sedAb12Cd",
    ])
    func temporary(name: String) throws { #expect(try NameClass(of: FileName(name)) == .temporary) }

    @Test(arguments: [
        ".DS_Store", "._IMG_0001.JPG", "._x", "Thumbs.db", "thumbs.DB", "desktop.ini", "Desktop.ini", ".nomedia",
        ".directory", "@eaDir", "a.jpg.trashinfo", ".hidden", ".xdg-volume-info", "a.xmp", "A.XMP", "a.aae", "a.thm",
        "a.xmp_original", "a.lrv", "a.wav", "a.jpg.json", "._a.jpg.Ab12Cd",
    ])
    func plain(name: String) throws { #expect(try NameClass(of: FileName(name)) == .plain) }
}
