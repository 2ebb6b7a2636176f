/// What each place of the mounted tree takes, as the contract's layout table promises it.
///
/// Commands are for a shell in the mount's root. `$disk` is a directory of an ordinary disk that holds the pictures
/// `n1.jpg` to `n9.jpg`; the camera roll holds `a.jpg` to `h.jpg`, taken on 2024-05-17, a movie `m.mp4` and the empty
/// directory `trip`; there are an empty album `Trip` and a keyword `sea` that nothing has. The cases of a place follow
/// upon each other in one library.
enum LayoutTable {
    enum Column: String, CaseIterable {
        case lists, create, rename, unlink, link, identity, mkdir, rmdir, renameDirectory, symlink, fifo
    }

    enum Expected {
        /// The command fails with the text of an errno, and nothing is changed.
        case refused(String)
        /// The command succeeds, and a second one prints these words.
        case leaves(String, String)
    }

    struct Case {
        let column: Column
        let command: String
        let expected: Expected

        init(_ column: Column, _ command: String, _ expected: Expected) {
            self.column = column
            self.command = command
            self.expected = expected
        }
    }

    struct Row: CustomStringConvertible {
        let place: String
        let cases: [Case]
        var description: String { place }
    }

    private static let notPermitted = Expected.refused("Operation not permitted")

    static let rows = [
        cameraRoll, albums, favorites, dates, mediaTypes, keywords, recentlyAdded, recentlyDeleted, hidden, originals,
        thumbnails, search, trash, root,
    ]

    private static let cameraRoll = Row(
        place: "DCIM/**",
        cases: [
            Case(
                .lists, "mkdir -p DCIM/100/x && cp $disk/n1.jpg DCIM/100/x/mine.jpg",
                .leaves("ls DCIM/100/x", "mine.jpg")),
            Case(.create, "cp $disk/n2.jpg DCIM/trip/", .leaves("x state DCIM/trip/n2.jpg", "asset")),
            Case(
                .rename, "mv DCIM/a.jpg DCIM/trip/moved.jpg",
                .leaves("ls DCIM/trip; has DCIM/a.jpg", "moved.jpg n2.jpg no")),
            Case(
                .link, "ln DCIM/b.jpg DCIM/trip/b2.jpg", .leaves("same DCIM/b.jpg DCIM/trip/b2.jpg", "same links 2")),
            Case(
                .unlink, "rm DCIM/b.jpg",
                .leaves("ls 'Recently Deleted'; same DCIM/trip/b2.jpg DCIM/trip/b2.jpg", "same links 1")),
            Case(.unlink, "rm DCIM/trip/b2.jpg", .leaves("ls 'Recently Deleted'", "b.jpg")),
            Case(.identity, "true", .leaves("same DCIM/c.jpg DCIM/c.jpg", "same links 1")),
            Case(.mkdir, "mkdir -p DCIM/new/deep", .leaves("ls DCIM/new", "deep")),
            Case(.rmdir, "rmdir DCIM/new/deep", .leaves("ls DCIM/new", "")),
            Case(.rmdir, "rmdir DCIM/trip", .refused("Directory not empty")),
            Case(.renameDirectory, "mv DCIM/trip DCIM/new/", .leaves("ls DCIM/new/trip", "moved.jpg n2.jpg")),
            Case(
                .symlink, "ln -s c.jpg DCIM/s",
                .leaves("readlink DCIM/s; ls 'Recently Added' | grep -c '^s$'", "c.jpg 0")),
            Case(.fifo, "mkfifo DCIM/f", .leaves("stat -c %F DCIM/f", "fifo")),
        ])

    private static let albums = Row(
        place: "Albums/**/",
        cases: [
            Case(
                .lists, "ln DCIM/a.jpg Albums/Trip/first.jpg",
                .leaves("ls Albums Albums/Trip", "Albums: Trip Albums/Trip: first.jpg")),
            Case(
                .create, "cp $disk/n1.jpg Albums/Trip/",
                .leaves("ls Albums/Trip DCIM/n1.jpg", "DCIM/n1.jpg Albums/Trip: first.jpg n1.jpg")),
            Case(.create, "cp $disk/n2.jpg Albums/", notPermitted),
            Case(
                .rename, "mv DCIM/b.jpg Albums/Trip/",
                .leaves("ls DCIM/b.jpg Albums/Trip", "DCIM/b.jpg Albums/Trip: b.jpg first.jpg n1.jpg")),
            Case(.rename, "mv DCIM/c.jpg Albums/", notPermitted),
            Case(
                .unlink, "rm Albums/Trip/b.jpg",
                .leaves(
                    "ls Albums/Trip DCIM/b.jpg 'Recently Deleted'",
                    "DCIM/b.jpg Albums/Trip: first.jpg n1.jpg Recently Deleted:")),
            Case(.link, "ln DCIM/d.jpg Albums/Trip/", .leaves("ls Albums/Trip", "d.jpg first.jpg n1.jpg")),
            Case(.link, "ln DCIM/e.jpg Albums/", notPermitted),
            Case(.identity, "true", .leaves("same DCIM/a.jpg Albums/Trip/first.jpg", "same links 1")),
            Case(.mkdir, "mkdir -p Albums/Trip/Day/Night", .leaves("ls Albums/Trip/Day", "Night")),
            Case(.rmdir, "rmdir Albums/Trip/Day/Night", .leaves("ls Albums/Trip/Day", "")),
            Case(.rmdir, "rmdir Albums/Trip", .refused("Directory not empty")),
            Case(.renameDirectory, "mv Albums/Trip/Day Albums/Tag", .leaves("ls Albums", "Tag Trip")),
            Case(.renameDirectory, "mv DCIM/trip Albums/", notPermitted),
            Case(.symlink, "ln -s x Albums/Trip/s", notPermitted), Case(.fifo, "mkfifo Albums/Trip/f", notPermitted),
        ])

    private static let favorites = Row(
        place: "Favorites/",
        cases: [
            Case(.lists, "setfattr -n user.cameraroll.favorite -v 1 DCIM/a.jpg", .leaves("ls Favorites", "a.jpg")),
            Case(.create, "cp $disk/n1.jpg Favorites/", .leaves("x favorite DCIM/n1.jpg", "1")),
            Case(.rename, "mv DCIM/b.jpg Favorites/", .leaves("x favorite DCIM/b.jpg", "1")),
            Case(.unlink, "rm Favorites/b.jpg", .leaves("x favorite DCIM/b.jpg; ls 'Recently Deleted'", "0")),
            Case(.link, "ln DCIM/c.jpg Favorites/", .leaves("ls Favorites", "a.jpg c.jpg n1.jpg")),
            Case(.identity, "true", .leaves("same DCIM/c.jpg Favorites/c.jpg", "same links 1")),
            Case(.mkdir, "mkdir Favorites/d", notPermitted), Case(.rmdir, "rmdir Favorites", notPermitted),
            Case(.renameDirectory, "mv DCIM/trip Favorites/", notPermitted),
            Case(.symlink, "ln -s x Favorites/s", notPermitted), Case(.fifo, "mkfifo Favorites/f", notPermitted),
        ])

    private static let dates = Row(
        place: "Dates/2024/2024-05/2024-05-17/",
        cases: [
            Case(
                .lists, "true",
                .leaves(
                    "ls Dates Dates/2024/2024-05 | grep 2024; ls $day | head -n 2",
                    "2024 Dates/2024/2024-05: 2024-05-17 a.jpg b.jpg")),
            Case(.create, "cp $disk/n1.jpg $day/", .leaves("x captured DCIM/n1.jpg | cut -c -10", "2024-05-17")),
            Case(.create, "cp $disk/n2.jpg Dates/2024/", notPermitted),
            Case(
                .rename,
                "setfattr -n user.cameraroll.captured -v 2020-02-03T04:05:06+02:00 DCIM/a.jpg && mv DCIM/a.jpg $day/",
                .leaves("x captured DCIM/a.jpg; ls $day/a.jpg", "2024-05-17T04:05:06+02:00 $day/a.jpg")),
            Case(.rename, "mv DCIM/b.jpg Dates/2024/2024-05/", notPermitted),
            Case(.unlink, "rm $day/b.jpg", .leaves("has DCIM/b.jpg; ls 'Recently Deleted'", "no b.jpg")),
            Case(.link, "ln DCIM/m.mp4 $day/", notPermitted),
            Case(.identity, "true", .leaves("same DCIM/c.jpg $day/c.jpg", "same links 1")),
            Case(.mkdir, "mkdir Dates/2025", notPermitted), Case(.mkdir, "mkdir $day/d", notPermitted),
            Case(.rmdir, "rmdir Dates/2024", notPermitted),
            Case(.renameDirectory, "mv Dates/2024 Dates/2025", notPermitted),
            Case(.symlink, "ln -s x $day/s", notPermitted), Case(.fifo, "mkfifo $day/f", notPermitted),
        ])

    private static let mediaTypes = Row(
        place: "Media Types/<type>/",
        cases: [
            Case(
                .lists, "true",
                .leaves(
                    "ls 'Media Types' 'Media Types/Videos' | tr ' ' _",
                    "Media_Types: Animated Bursts Live_Photos Panoramas Portrait RAW Screenshots Selfies Slo-mo Time-lapse"
                        + " Videos Media_Types/Videos: m.mp4")),
            Case(
                .lists, "exiftool -q -o $disk/n8b.jpg -XMP-GCamera:BurstID=1 $disk/n8.jpg && cp $disk/n8b.jpg DCIM/",
                .leaves(
                    "ls 'Media Types/Bursts' Search/type:burst",
                    "Media Types/Bursts: n8b.jpg Search/type:burst: n8b.jpg")),
            Case(.create, "cp $disk/n1.jpg 'Media Types/Panoramas/'", notPermitted),
            Case(.create, "cp $disk/n1.jpg 'Media Types/'", notPermitted),
            Case(.rename, "mv DCIM/a.jpg 'Media Types/Videos/'", notPermitted),
            Case(.identity, "true", .leaves("same DCIM/m.mp4 'Media Types/Videos/m.mp4'", "same links 1")),
            Case(.link, "ln DCIM/a.jpg 'Media Types/Videos/'", notPermitted),
            Case(.mkdir, "mkdir 'Media Types/Cats'", notPermitted),
            Case(.rmdir, "rmdir 'Media Types/Bursts'", notPermitted),
            Case(.renameDirectory, "mv 'Media Types/Bursts' 'Media Types/Cats'", notPermitted),
            Case(.symlink, "ln -s x 'Media Types/Videos/s'", notPermitted),
            Case(.fifo, "mkfifo 'Media Types/Videos/f'", notPermitted),
            Case(
                .unlink, "rm 'Media Types/Videos/m.mp4'", .leaves("has DCIM/m.mp4; ls 'Recently Deleted'", "no m.mp4")),
        ])

    private static let keywords = Row(
        place: "Keywords/<word>/",
        cases: [
            Case(
                .lists, "setfattr -n user.xdg.tags -v sea,sun DCIM/a.jpg",
                .leaves("ls Keywords Keywords/sun", "Keywords: sea sun Keywords/sun: a.jpg")),
            Case(.create, "cp $disk/n1.jpg Keywords/sea/", .leaves("tags DCIM/n1.jpg", "sea")),
            Case(.create, "cp $disk/n2.jpg Keywords/", notPermitted),
            Case(.rename, "mv DCIM/b.jpg Keywords/sea/", .leaves("tags DCIM/b.jpg", "sea")),
            Case(.rename, "mv DCIM/c.jpg Keywords/", notPermitted),
            Case(.unlink, "rm Keywords/sea/b.jpg", .leaves("tags DCIM/b.jpg; ls 'Recently Deleted'", "")),
            Case(.link, "ln DCIM/d.jpg Keywords/sun/", .leaves("tags DCIM/d.jpg", "sun")),
            Case(.identity, "true", .leaves("same DCIM/d.jpg Keywords/sun/d.jpg", "same links 1")),
            Case(.mkdir, "mkdir Keywords/moon", .leaves("ls Keywords", "moon sea sun")),
            Case(.mkdir, "mkdir Keywords/moon/full", notPermitted),
            Case(.rmdir, "rmdir Keywords/moon", .leaves("ls Keywords", "sea sun")),
            Case(.rmdir, "rmdir Keywords/sea", .refused("Directory not empty")),
            Case(.renameDirectory, "mv Keywords/sun Keywords/sunshine", .leaves("tags DCIM/d.jpg", "sunshine")),
            Case(.symlink, "ln -s x Keywords/sea/s", notPermitted), Case(.fifo, "mkfifo Keywords/sea/f", notPermitted),
        ])

    private static let recentlyAdded = Row(
        place: "Recently Added/",
        cases: [
            Case(
                .lists, "cp $disk/n1.jpg DCIM/trip/",
                .leaves("ls 'Recently Added'", "a.jpg b.jpg c.jpg d.jpg e.jpg f.jpg g.jpg h.jpg m.mp4 n1.jpg")),
            Case(.create, "cp $disk/n2.jpg 'Recently Added/'", notPermitted),
            Case(.rename, "mv DCIM/a.jpg 'Recently Added/z.jpg'", notPermitted),
            Case(.unlink, "rm 'Recently Added/b.jpg'", .leaves("has DCIM/b.jpg; ls 'Recently Deleted'", "no b.jpg")),
            Case(.link, "ln DCIM/a.jpg 'Recently Added/z.jpg'", notPermitted),
            Case(.identity, "true", .leaves("same DCIM/trip/n1.jpg 'Recently Added/n1.jpg'", "same links 1")),
            Case(.mkdir, "mkdir 'Recently Added/d'", notPermitted),
            Case(.rmdir, "rmdir 'Recently Added'", notPermitted),
            Case(.renameDirectory, "mv 'Recently Added' Old", notPermitted),
            Case(.symlink, "ln -s x 'Recently Added/s'", notPermitted),
            Case(.fifo, "mkfifo 'Recently Added/f'", notPermitted),
        ])

    private static let recentlyDeleted = Row(
        place: "Recently Deleted/",
        cases: [
            Case(
                .lists, "rm DCIM/a.jpg",
                .leaves("ls 'Recently Deleted'; cmp $disk/../a.jpg 'Recently Deleted/a.jpg'", "a.jpg")),
            Case(.create, "cp $disk/n1.jpg 'Recently Deleted/'", notPermitted),
            Case(
                .rename, "mv DCIM/b.jpg 'Recently Deleted/'",
                .leaves("has DCIM/b.jpg; ls 'Recently Deleted'", "no a.jpg b.jpg")),
            Case(
                .rename, "mv 'Recently Deleted/b.jpg' DCIM/trip/",
                .leaves("ls DCIM/trip 'Recently Deleted'", "DCIM/trip: b.jpg Recently Deleted: a.jpg")),
            Case(
                .rename, "mv 'Recently Deleted/a.jpg' DCIM/",
                .leaves("cmp $disk/../a.jpg DCIM/a.jpg; ls 'Recently Deleted'", "")),
            Case(
                .unlink, "rm DCIM/a.jpg && rm 'Recently Deleted/a.jpg'",
                .leaves("has DCIM/a.jpg; ls 'Recently Deleted'", "no")),
            Case(.link, "ln DCIM/c.jpg 'Recently Deleted/'", notPermitted),
            Case(
                .identity, "stat -c %i DCIM/d.jpg > $disk/d; rm DCIM/d.jpg",
                .leaves("stat -c %i 'Recently Deleted/d.jpg' | cmp - $disk/d && echo same", "same")),
            Case(.mkdir, "mkdir 'Recently Deleted/d'", notPermitted),
            Case(.rmdir, "rmdir 'Recently Deleted'", notPermitted),
            Case(.renameDirectory, "mv 'Recently Deleted' Old", notPermitted),
            Case(.symlink, "ln -s x 'Recently Deleted/s'", notPermitted),
            Case(.fifo, "mkfifo 'Recently Deleted/f'", notPermitted),
        ])

    private static let hidden = Row(
        place: "Hidden/",
        cases: [
            Case(
                .lists, "setfattr -n user.cameraroll.hidden -v 1 DCIM/a.jpg",
                .leaves(
                    "ls Hidden DCIM/a.jpg; has $day/a.jpg; has 'Recently Added/a.jpg'", "DCIM/a.jpg Hidden: a.jpg no no"
                )),
            Case(.create, "cp $disk/n1.jpg Hidden/", .leaves("x hidden DCIM/n1.jpg", "1")),
            Case(.rename, "mv DCIM/b.jpg Hidden/", .leaves("x hidden DCIM/b.jpg; ls Hidden", "1 a.jpg b.jpg n1.jpg")),
            Case(.unlink, "rm Hidden/b.jpg", .leaves("x hidden DCIM/b.jpg; ls 'Recently Deleted'", "0")),
            Case(.link, "ln DCIM/c.jpg Hidden/", .leaves("x hidden DCIM/c.jpg", "1")),
            Case(.identity, "true", .leaves("same DCIM/c.jpg Hidden/c.jpg", "same links 1")),
            Case(.mkdir, "mkdir Hidden/d", notPermitted), Case(.rmdir, "rmdir Hidden", notPermitted),
            Case(.renameDirectory, "mv Hidden Old", notPermitted), Case(.symlink, "ln -s x Hidden/s", notPermitted),
            Case(.fifo, "mkfifo Hidden/f", notPermitted),
        ])

    private static let originals = Row(
        place: "Originals/**",
        cases: [
            Case(
                .lists, "mv DCIM/a.jpg DCIM/trip/ && cat $disk/../a.jpg $disk/n1.jpg > DCIM/trip/a.jpg",
                .leaves("cd Originals; find . -type f; cmp $disk/../a.jpg trip/a.jpg", "./trip/a.jpg")),
            Case(.create, "cp $disk/n1.jpg Originals/", notPermitted),
            Case(.create, "echo > Originals/trip/a.jpg", notPermitted),
            Case(.rename, "mv DCIM/b.jpg Originals/", notPermitted),
            Case(.rename, "mv Originals/trip/a.jpg DCIM/", notPermitted),
            Case(.unlink, "rm Originals/trip/a.jpg", notPermitted),
            Case(.link, "ln DCIM/b.jpg Originals/", notPermitted),
            Case(.link, "ln Originals/trip/a.jpg DCIM/z.jpg", notPermitted),
            Case(.identity, "true", .leaves("same DCIM/trip/a.jpg Originals/trip/a.jpg", "different links 1")),
            Case(.mkdir, "mkdir Originals/d", notPermitted), Case(.rmdir, "rmdir Originals/trip", notPermitted),
            Case(.renameDirectory, "mv Originals/trip Originals/x", notPermitted),
            Case(.symlink, "ln -s x Originals/s", notPermitted), Case(.fifo, "mkfifo Originals/f", notPermitted),
        ])

    private static let thumbnails = Row(
        place: "Thumbnails/**",
        cases: [
            Case(
                .lists, "mv DCIM/a.jpg DCIM/trip/",
                .leaves("ls Thumbnails/trip; head -c 3 Thumbnails/trip/a.jpg | od -An -tx1", "a.jpg ff d8 ff")),
            Case(.create, "cp $disk/n1.jpg Thumbnails/", notPermitted),
            Case(.create, "echo > Thumbnails/trip/a.jpg", notPermitted),
            Case(.rename, "mv DCIM/b.jpg Thumbnails/", notPermitted),
            Case(.unlink, "rm Thumbnails/trip/a.jpg", notPermitted),
            Case(.link, "ln DCIM/b.jpg Thumbnails/z.jpg", notPermitted),
            Case(.identity, "true", .leaves("same DCIM/trip/a.jpg Thumbnails/trip/a.jpg", "different links 1")),
            Case(.mkdir, "mkdir Thumbnails/d", notPermitted), Case(.rmdir, "rmdir Thumbnails/trip", notPermitted),
            Case(.renameDirectory, "mv Thumbnails/trip Thumbnails/x", notPermitted),
            Case(.symlink, "ln -s x Thumbnails/s", notPermitted), Case(.fifo, "mkfifo Thumbnails/f", notPermitted),
        ])

    private static let search = Row(
        place: "Search/<query>/",
        cases: [
            Case(.lists, "true", .leaves("ls Search Search/type:video", "Search: README.txt Search/type:video: m.mp4")),
            Case(.create, "cp $disk/n1.jpg Search/type:video/", notPermitted),
            Case(.create, "cp $disk/n1.jpg Search/size:wrong", notPermitted),
            Case(.rename, "mv DCIM/a.jpg Search/type:video/", notPermitted),
            Case(.link, "ln DCIM/a.jpg Search/type:video/", notPermitted),
            Case(.identity, "true", .leaves("same DCIM/m.mp4 Search/type:video/m.mp4", "same links 1")),
            Case(.mkdir, "mkdir Search/size:wrong", notPermitted),
            Case(.mkdir, "mkdir Search/type:photo", .refused("File exists")),
            Case(.rmdir, "rmdir Search/type:photo", notPermitted),
            Case(.renameDirectory, "mv Search/type:photo DCIM/", notPermitted),
            Case(.symlink, "ln -s x Search/type:video/s", notPermitted),
            Case(.fifo, "mkfifo Search/type:video/f", notPermitted),
            Case(.unlink, "rm Search/type:video/m.mp4", .leaves("has DCIM/m.mp4; ls 'Recently Deleted'", "no m.mp4")),
            Case(.unlink, "rm Search/README.txt", notPermitted),
        ])

    private static let trash = Row(
        place: ".Trash-UID/",
        cases: [
            Case(
                .mkdir, "mkdir .Trash-$uid .Trash-$uid/files .Trash-$uid/info", .leaves("ls .Trash-$uid", "files info")),
            Case(
                .lists, "gio trash DCIM/a.jpg",
                .leaves("ls .Trash-$uid/files 'Recently Deleted'", ".Trash-0/files: a.jpg Recently Deleted: a.jpg")),
            Case(
                .create, "cp $disk/n1.jpg .Trash-$uid/files/",
                .leaves("cmp $disk/n1.jpg .Trash-$uid/files/n1.jpg; has DCIM/n1.jpg; ls 'Recently Deleted'", "no a.jpg")
            ),
            Case(.unlink, "rm .Trash-$uid/files/n1.jpg", .leaves("ls .Trash-$uid/files", "a.jpg")),
            Case(
                .rename, "mv DCIM/b.jpg .Trash-$uid/files/",
                .leaves("has DCIM/b.jpg; ls 'Recently Deleted'", "no a.jpg b.jpg")),
            Case(
                .rename, "mv .Trash-$uid/files/b.jpg DCIM/trip/",
                .leaves(
                    "ls DCIM/trip .Trash-$uid/files 'Recently Deleted'",
                    ".Trash-0/files: a.jpg DCIM/trip: b.jpg Recently Deleted: a.jpg")),
            Case(.identity, "true", .leaves("same .Trash-$uid/files/a.jpg 'Recently Deleted/a.jpg'", "same links 1")),
            Case(
                .unlink, "rm .Trash-$uid/files/a.jpg",
                .leaves("ls .Trash-$uid/files 'Recently Deleted'", ".Trash-0/files: Recently Deleted:")),
            Case(
                .link, "ln DCIM/c.jpg .Trash-$uid/files/",
                .leaves(
                    "ls DCIM/c.jpg 'Recently Deleted' && rm .Trash-$uid/files/c.jpg", "DCIM/c.jpg Recently Deleted:")),
            Case(
                .renameDirectory, "gio trash DCIM/trip",
                .leaves(
                    "ls .Trash-$uid/files/trip 'Recently Deleted'", ".Trash-0/files/trip: b.jpg Recently Deleted: b.jpg"
                )),
            Case(
                .renameDirectory, "mv .Trash-$uid/files/trip DCIM/",
                .leaves("ls DCIM/trip 'Recently Deleted'", "DCIM/trip: b.jpg Recently Deleted:")),
            Case(
                .symlink, "ln -s x DCIM/s && mv DCIM/s .Trash-$uid/files/",
                .leaves("readlink .Trash-$uid/files/s && rm .Trash-$uid/files/s", "x")),
            Case(
                .fifo, "mkfifo DCIM/f && mv DCIM/f .Trash-$uid/files/",
                .leaves("stat -c %F .Trash-$uid/files/f && rm .Trash-$uid/files/f", "fifo")),
            Case(.rmdir, "rmdir .Trash-$uid/files", .leaves("ls .Trash-$uid", "info")),
        ])

    private static let root = Row(
        place: "the root",
        cases: [
            Case(
                .lists, "true",
                .leaves(
                    "ls | tr ' ' _",
                    "Albums DCIM Dates Favorites Hidden Keywords Media_Types Originals Recently_Added Recently_Deleted"
                        + " Search Thumbnails")),
            Case(.create, "cp $disk/n1.jpg .", notPermitted), Case(.rename, "mv DCIM/a.jpg .", notPermitted),
            Case(.unlink, "unlink DCIM", .refused("Is a directory")), Case(.link, "ln DCIM/a.jpg z.jpg", notPermitted),
            Case(.identity, "true", .leaves("stat -c %i . DCIM | uniq | wc -l", "2")),
            Case(.mkdir, "mkdir Elsewhere", notPermitted), Case(.mkdir, "mkdir .Trash", notPermitted),
            Case(.rmdir, "rmdir Albums", notPermitted), Case(.renameDirectory, "mv DCIM Photos", notPermitted),
            Case(.symlink, "ln -s DCIM Photos", notPermitted), Case(.fifo, "mkfifo f", notPermitted),
        ])
}
